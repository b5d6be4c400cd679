"""The arithmetic against the stored vectors, and Bianchi's model against the stored tables."""

from __future__ import annotations

import pytest

from hoplab_validation.peers import dcf, tables


@pytest.mark.parametrize("row", tables.read("vectors_airtime"), ids=lambda row: f"{row['frame']}@{row['rate_mbps']}")
def test_airtime(row: tables.Row) -> None:
    ours = dcf.airtime_us(int(row["mac_bytes"]), float(row["rate_mbps"]))
    assert ours == pytest.approx(float(row["airtime_us"]), abs=6e-4)


@pytest.mark.parametrize("row", tables.read("vectors_nav"), ids=lambda row: f"ip{row['ip_bytes']}")
def test_duration_fields(row: tables.Row) -> None:
    link = dcf.Link(float(row["data_rate_mbps"]), float(row["basic_rate_mbps"]))
    expected = tuple(int(row[key]) for key in ("rts_us", "cts_us", "data_us"))
    assert dcf.durations_us(link, int(row["ip_bytes"])) == expected


@pytest.mark.parametrize(
    "row", tables.read("vectors_cycle"), ids=lambda row: f"{row['access']}{row['throughput_kbps']}"
)
def test_cycle(row: tables.Row) -> None:
    link = dcf.Link(float(row["data_rate_mbps"]), float(row["basic_rate_mbps"]))
    ip = int(row["ip_bytes"])
    cycle = dcf.cycle_us(link, ip, rts=row["access"] == "rts_cts")
    assert cycle == pytest.approx(float(row["cycle_us"]), abs=0.05)
    assert 8000.0 * ip / cycle == pytest.approx(float(row["throughput_kbps"]), abs=6e-4)


def test_exchange_over_200_m_is_what_a_trace_of_ns2_shows() -> None:
    exchange = dcf.exchange_us(dcf.Link(2.0), 40, rts=True, delta_us=200.0 / 300.0)
    assert exchange == pytest.approx(1480.667, abs=5e-4)


@pytest.mark.parametrize("row", tables.read("bianchi_attempts"), ids=lambda row: f"{row['profile']}-{row['stations']}")
def test_attempts(row: tables.Row) -> None:
    tau, p = dcf.attempts(int(row["stations"]), dcf.PROFILES[row["profile"]].windows)
    assert tau == pytest.approx(float(row["tau"]), abs=6e-7)
    assert p == pytest.approx(float(row["p"]), abs=6e-7)


@pytest.mark.parametrize(
    "row",
    tables.read("bianchi_throughput"),
    ids=lambda row: "-".join(row[key] for key in ("profile", "data_rate_mbps", "access", "stations")),
)
def test_saturation_throughput(row: tables.Row) -> None:
    link = dcf.Link(float(row["data_rate_mbps"]))
    profile = dcf.PROFILES[row["profile"]]
    ours = dcf.saturation_kbps(int(row["stations"]), link, 1500, rts=row["access"] == "rts_cts", profile=profile)
    assert ours == pytest.approx(float(row["throughput_kbps"]), abs=0.06)


@pytest.mark.parametrize("row", tables.read("bianchi_cell"), ids=lambda row: f"{row['access']}-{row['stations']}")
def test_saturation_with_the_packets_of_the_cell_table(row: tables.Row) -> None:
    link = dcf.Link(float(row["data_rate_mbps"]))
    ours = dcf.saturation_kbps(int(row["stations"]), link, 1472, rts=row["access"] == "rts_cts", profile=dcf.NS2)
    assert ours == pytest.approx(float(row["throughput_kbps"]), abs=0.06)


def test_one_station_attempts_by_its_mean_backoff() -> None:
    tau, p = dcf.attempts(1, dcf.NS2.windows)
    assert tau == pytest.approx(1.0 / 16.0)
    assert p == 0.0


def test_the_model_has_no_pole_at_one_half() -> None:
    taus = [dcf.attempts(n, None)[0] for n in range(38, 43)]
    assert taus == sorted(taus, reverse=True)
