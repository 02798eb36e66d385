# The entrance. Every target does its own set-up: tools/setup checks for what it needs and says what is missing.

.PHONY: help bench test check ct fuzz clean

help: ## this list
	@grep -E '^[a-z]+:.*##' Makefile | sed 's/:.*##/\t/' | expand -t 10

bench: ## build, race the rivals, print the table, write JSON, CSV and a page; ARGS=--full for all of it
	@tools/setup cargo
	@tools/bench $(or $(ARGS),--quick)

test: ## every test, on every tier of CPU that this machine can play
	@tools/setup cargo
	tools/test

check: ## format, lints, docs, house rules
	@tools/setup cargo
	tools/check

ct: ## the leak checks: MemorySanitizer and valgrind, with planted leaks that must be found
	@tools/setup cargo
	tools/ct

fuzz: ## each fuzz target for a minute (needs nightly and cargo-fuzz); SECONDS_EACH=n for longer
	@tools/setup cargo nightly cargo-fuzz
	tools/fuzz

clean: ## remove what was built
	cargo clean
