// Edits of a scenario file that leave the rest of its text as the user wrote it.

const HEADER = /^\s*\[\[?\s*([\w.-]+)\s*\]\]?\s*(?:#.*)?$/;

/** Name of the table that a line begins, if it begins one. */
function header(line: string): string | undefined {
  return HEADER.exec(line)?.[1];
}

/** A value as TOML. */
export function valueText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(valueText).join(", ")}]`;
  if (typeof value === "object" && value !== null) return `{ ${Object.entries(value).map(([key, one]) => `${key} = ${valueText(one)}`).join(", ")} }`;
  return JSON.stringify(value);
}

/** Sets a key of a table ("" is the top of the file), or removes it (`null`). */
export function setKey(text: string, table: string, key: string, value: string | null): string {
  const lines = text.split("\n");
  let from = table === "" ? 0 : lines.findIndex((line) => header(line) === table) + 1;
  if (table !== "" && from === 0) {
    if (value === null) return text;
    return `${text.trimEnd()}\n\n[${table}]\n${key} = ${value}\n`;
  }
  let to = lines.findIndex((line, i) => i >= from && header(line) !== undefined);
  if (to < 0) to = lines.length;
  const own = new RegExp(`^\\s*${key}\\s*=`);
  const at = lines.findIndex((line, i) => i >= from && i < to && own.test(line));
  if (at >= 0) {
    const comment = /\s#[^"'\]]*$/.exec(lines[at])?.[0] ?? "";
    if (value === null) lines.splice(at, 1);
    else lines[at] = `${key} = ${value}${comment}`;
  } else if (value !== null) {
    // Behind the last line of the table that is not empty.
    while (to > from && lines[to - 1].trim() === "") to -= 1;
    lines.splice(to, 0, `${key} = ${value}`);
  }
  return lines.join("\n");
}

/** Replaces all tables of these names, and those below them, by `replacement`; it stands where the first was. */
export function replaceTables(text: string, names: string[], replacement: string): string {
  const kept: string[] = [];
  let at = -1;
  let drops = false;
  for (const line of text.split("\n")) {
    const name = header(line);
    if (name !== undefined) drops = names.includes(name.split(".")[0]);
    if (drops && at < 0) at = kept.length;
    if (!drops) kept.push(line);
  }
  const before = kept.slice(0, at < 0 ? kept.length : at).join("\n").trimEnd();
  const after = at < 0 ? "" : kept.slice(at).join("\n").trim();
  return `${[before, replacement.trim(), after].filter((part) => part !== "").join("\n\n")}\n`;
}
