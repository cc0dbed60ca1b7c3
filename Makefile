# Builds, tests and shows Mica. `make help` lists the targets.
#
# Everything that is missing on the machine is set up first (tools/setup), so each target works on a fresh clone.
# Variables: BUILD (folder, default build), TYPE (CMake build type, default Release), JOBS (default: one a core).
BUILD ?= build
TYPE ?= Release
JOBS ?= $(shell nproc)
MAKEFLAGS += --no-print-directory
# The same folder in CMake and in the scripts, whatever the shell's working directory.
export MICA_BUILD := $(abspath $(BUILD))

.DEFAULT_GOAL := mica
.PHONY: mica all setup configure demo test test-long bench asan fuzz format lint layers clean help

mica: configure ## Build the program build/mica (this is what plain `make` does)
	@cmake --build $(BUILD) -j $(JOBS) --target mica_program

all: configure ## Build everything, tests included
	@cmake --build $(BUILD) -j $(JOBS)

demo: mica ## Show the main job on real input: read a warehouse, load, update, time travel; checks every number
	@tools/demo --mica $(BUILD)/mica

test: ## Set up and run every test: unit, SQL, interop with Paimon, crash, layers
	@tools/setup --tests
	@$(MAKE) all
	@tools/test --build $(BUILD)

test-long: ## The same with every fault at every call, full races and long fuzzing; takes hours
	@tools/setup --tests
	@$(MAKE) all
	@tools/test --build $(BUILD) --long

fuzz: ## Give every parser of outside bytes and text damaged input, ROUNDS (100) times as often as the tests do
	@$(MAKE) all
	@tests/fuzz/run --build $(BUILD) --rounds $(or $(ROUNDS),100)

bench: ## Measure Mica beside DuckDB on bare Parquet, and other implementations where present; SCALE=1 for more rows
	@$(MAKE) all
	@cmake --build $(BUILD) --target bench_peers
	@benchmarks/run $(SCALE) --build $(BUILD)

asan: ## Build with address and undefined-behaviour sanitizers in build-asan, and run the unit tests there
	@$(MAKE) setup
	@cmake --preset asan
	@cmake --build build-asan -j $(JOBS)
	@cd build-asan && ctest -E '^sql$$' --output-on-failure -j $(JOBS)

format: ## Lay out the C++ sources by .clang-format (only those that changed against HEAD; ALL=1 for all)
	@tools/format $(if $(ALL),--all)

lint: layers ## Check layers, lines and layout (clang-format, where installed); ALL=1 for all files
	@tools/format --check $(if $(ALL),--all)

layers:
	@tools/check_layers.py

clean: ## Remove the build folders (the downloaded packages stay)
	rm -rf $(BUILD) build-debug build-asan build-fuzz

# tools/setup is safe to repeat; the stamp only saves its second.
setup: ## Install what is missing: system packages and the pinned binaries
	@if [ ! -f $(BUILD)/.setup ] || [ tools/setup -nt $(BUILD)/.setup ] || [ ! -f "$$(tools/setup --print)/.done" ] \
	    || ! command -v cmake ninja ccache > /dev/null; then \
	  tools/setup && mkdir -p $(BUILD) && touch $(BUILD)/.setup; \
	fi

configure: setup
	@if [ ! -f $(BUILD)/build.ninja ]; then cmake -S . -B $(BUILD) -G Ninja -DCMAKE_BUILD_TYPE=$(TYPE); fi

help: ## Show this list
	@echo "Usage: make [target]"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
