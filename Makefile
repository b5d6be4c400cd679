# Each target is a line or two that calls the real tool; scripts/setup.sh makes the environment they run in.
.DEFAULT_GOAL := help
SHELL := /bin/sh
BIN := .venv/bin
RUST := $(shell find crates -name '*.rs' -o -name Cargo.toml 2>/dev/null) Cargo.toml $(wildcard Cargo.lock rust-toolchain.toml)
TESTS ?= tests
# One compiled engine for all of them (Cargo.toml): features are those of the whole workspace, as in the Python module.
# Examples are compiled by clippy, and run as tests.
CARGO_TEST := cargo test --profile ci --workspace --tests --quiet
QUICK := guides or not (slow or full)

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 20

build: .venv/.engine ## make .venv with hoplab, its engine and hoplab-evidence, or bring them up to date

.venv/.engine: $(RUST) pyproject.toml evidence/pyproject.toml constraints.txt scripts/setup.sh
	@scripts/setup.sh

.venv/.dev: .venv/.engine
	@scripts/setup.sh dev ray docs

fast: ## the distributed build, twice, the second time after watching the first run: some 10 % faster; needs llvm-tools
	@scripts/setup.sh fast

dev: .venv/.dev ## the same with the tools for tests and checks

demo: .venv/.engine ## the first study: TCP over chains of 1 to 16 hops; writes hoplab-demo/report.html
	@$(BIN)/hoplab demo --force

test: .venv/.dev ## the quick tests, Rust and Python
	@echo "tests of the engine: about a minute on two cores, and some minutes to compile them the first time"
	$(CARGO_TEST)
	@echo "tests of the package: some minutes on two cores"
	$(BIN)/pytest -q -n auto -m "not (slow or full or guides)" $(TESTS)

soak: ## 10,000 random scenarios, looked at while they run; writes what fails as a scenario file (HOPLAB_SOAK=100 runs fewer)
	HOPLAB_SOAK_HERE="$$PWD" cargo test --profile soak -p hoplab --test soak -- --ignored --nocapture soak_long

soak-bounds: .venv/.engine ## 2,000 random networks and transports, and half as many with aggregation: no run is above its bound (HOPLAB_BOUND_CASES=100 runs fewer)
	HOPLAB_BOUND_CASES=$${HOPLAB_BOUND_CASES:-2000} $(BIN)/pytest -q tests/python/bounding/test_random.py

pairs: .venv/.engine ## every feature of `hoplab list features` with every other (ONLY=NAME: of one); TRIPLES=2000: so many triples besides; BLESS=1: store and write the page; FAST=1: many pairs in one scenario; STORED=1: the stored pairs alone
	$(BIN)/python scripts/pages/pairs.py $(if $(ONLY),--only $(ONLY)) $(if $(TRIPLES),--triples $(TRIPLES)) $(if $(FAST),--fast) $(if $(STORED),--stored) $(if $(BLESS),--bless) $(if $(JOBS),--jobs $(JOBS))

soak-replay: ## run a scenario again that failed in the soak: make soak-replay SCENARIO=soak-failure-17.toml
	HOPLAB_SOAK_HERE="$$PWD" HOPLAB_SOAK_REPLAY="$(SCENARIO)" cargo test --profile soak -p hoplab --test soak -- --ignored --nocapture soak_replay

FUZZ_SECONDS ?= 60
fuzz: ## every fuzz target for FUZZ_SECONDS (60), from its corpus; needs nightly Rust and cargo-fuzz
	for target in $$(ls fuzz/corpus); do cargo +nightly fuzz run --sanitizer none $$target -- -max_total_time=$(FUZZ_SECONDS) -timeout=2 -rss_limit_mb=512 -max_len=20000 -print_final_stats=1 || exit 1; done

reliability: .venv/.dev ## what RELIABILITY.md says, but for the soak, the fuzzing and the wheel, which have targets of their own
	cargo test --profile ci -p hoplab --test soak
	cargo test --profile ci -p hoplab --test it -- fuzz_corpus:: conservation:: airtime:: determinism:: fingerprints:: scenario_fuzz:: scenario_messages:: transport_fuzz:: mac_timelines:: exchange:: trajectories::
	cargo test --profile ci -p hoplab --lib -- limit_tests audit_tests nav_tests
	HOPLAB_HARM=600 $(BIN)/pytest tests/python/sweep tests/python/store tests/python/test_controllers.py tests/python/test_limits.py tests/python/test_panics.py tests/python/test_interrupts.py tests/python/test_messages.py tests/python/test_silence.py tests/python/report

wheel: .venv/.engine ## build the wheel and try it: bare environment, spaces, read-only, no home, no terminal
	scripts/wheel_smoke.sh

dist: .venv/.engine ## build wheel and sdist of hoplab and of hoplab-evidence into dist/, and try the wheels with each Python from 3.11 to 3.14 that is here
	scripts/dist.sh

check: check-rust check-browser check-python ## the quick lane: format, lints, types, stubs, quick tests, docs; .ci/run does the same after `make browser`, and lets no test skip for want of a tool

check-rust: ## the part of it that is about Rust: format, lints, tests
	cargo fmt --all --check
	cargo clippy --profile ci --workspace --all-targets --quiet -- -D warnings
	$(CARGO_TEST)

check-python: .venv/.dev ## the part of it that is about Python and the pages: format, lints, types, stubs, tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/stubtest --concise hoplab._core
	$(BIN)/pytest -q -n auto -m "$(QUICK)" $(TESTS)

check-browser: ## the part of it that is about the animation and the laboratory in a browser; tests of reports look at what it builds
	scripts/viewer.sh check
	scripts/lab.sh check

check-all: check ## the full lane: the quick one, and peers, studies, benches, Ray, slow tests, instructions, the distributed laboratory
	cargo test --profile ci --workspace --doc --quiet
	scripts/lab.sh full
	$(BIN)/pytest -q -n auto -m "not ($(QUICK))" $(TESTS)
	$(MAKE) instructions

join: .venv/.dev ## write what a new part changes (reference pages, man page, stored messages), and name what it lacks; SINCE=REF: parts since then
	$(BIN)/python scripts/join.py $(if $(SINCE),--since $(SINCE))

format: .venv/.dev ## rewrite the sources in the project's format
	cargo fmt --all
	$(BIN)/ruff check --fix --quiet . ; $(BIN)/ruff format .

validate: .venv/.engine ## the engine against exact vectors, Bianchi's model, ns-2 and ns-3
	$(BIN)/hoplab validate

bench: .venv/.engine ## time the distributed engine, and ns-2 and ns-3 where they are installed; writes BENCHMARKS.md
	scripts/distributed.sh $(BIN)/python -m hoplab_validation.bench

peers: ## install ns-2 and ns-3, for `hoplab crosscheck`, the live part of `make validate` and `make bench` (Debian, as root)
	scripts/install-peers.sh

instructions: .venv/.engine ## count the distributed engine's instructions in named scenarios, and compare them with the reference commit's; needs valgrind
	scripts/distributed.sh $(BIN)/python -m hoplab_validation.bench.instructions

instructions-bless: .venv/.engine ## record the counts of scenarios that the reference lacks; it renews none
	scripts/distributed.sh $(BIN)/python -m hoplab_validation.bench.instructions --bless

profile: .venv/.engine ## where the engine's instructions go in the same scenarios; needs valgrind
	scripts/distributed.sh $(BIN)/python -m hoplab_validation.bench.profile

shares: profile

audit: ## advisories, licenses and sources of crates (deny.toml) and packages; ends with 69 where tools or advisories cannot be reached
	@python3 scripts/audit.py

coverage: ## line coverage of the engine by its Rust tests; needs the compiler's llvm-tools (rustup component add llvm-tools)
	python3 scripts/measure/coverage.py

MUTANTS ?= crates/hoplab/src/mac/* crates/hoplab/src/transport/* crates/hoplab/src/net/explicit_feedback/*
mutants: ## change one thing at a time in files of MUTANTS and see which changes no Rust test notices: an hour and a half for all of them
	python3 scripts/measure/mutants.py $(foreach files,$(MUTANTS),'$(files)')

browser: ## install Chromium, tshark, tcpdump, valgrind and strace, for the tests that look at reports, captures, speed and silence (Debian, as root)
	scripts/install-browser.sh

docs: .venv/.dev ## build the site of docs/ into site/, with every link checked
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

viewer: ## bundle the animation of reports from viewer/ (needs Node 20)
	scripts/viewer.sh build

lab: ## the laboratory for a browser, one file that needs no network: viewer/dist/hoplab-lab.html (needs Node 20)
	scripts/lab.sh build

viewer-bench: .venv/.dev ## time the animation of 100 nodes in Chromium
	$(BIN)/python scripts/measure/viewer_bench.py

docs-generated: .venv/.dev ## rewrite what is generated: reference pages, outputs of notebooks
	$(BIN)/python scripts/pages/scenario_reference.py
	$(BIN)/python scripts/pages/cli_reference.py
	$(BIN)/python scripts/pages/man.py
	$(BIN)/python scripts/pages/completions.py
	$(BIN)/python scripts/pages/notebooks.py

picture: .venv/.dev ## draw docs/images/demo-goodput.svg from the runs of `make demo`, which must have been made
	$(BIN)/python scripts/pages/report_picture.py

pictures: .venv/.dev ## draw docs/images, the pages in Chromium; look at each before it is committed
	@$(BIN)/python scripts/pages/figures.py
	@$(BIN)/python scripts/pages/pictures.py

constraints: ## resolve constraints.txt anew, for the newest versions that fit pyproject.toml
	scripts/constraints.sh

clean: ## remove everything that was built
	rm -rf target .venv site viewer/node_modules viewer/dist .mypy_cache .pytest_cache .ruff_cache .hypothesis hoplab-demo validation
	find python evidence tests scripts -name __pycache__ -type d -prune -exec rm -rf {} +
	find python -name '_core*.so' -delete

.PHONY: help build fast dev demo test join soak pairs soak-replay fuzz reliability wheel dist check format validate bench instructions instructions-bless profile shares audit coverage mutants peers browser viewer lab viewer-bench docs docs-generated picture pictures constraints clean soak-bounds check-rust check-python check-browser check-all
