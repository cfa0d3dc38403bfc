# Every target does its own set-up on a fresh machine. Options are variables: make demo ONCE=1 SCENARIO=outage SPEED=60
.DEFAULT_GOAL := help
.PHONY: help demo simulate test check static e2e e2e-kind chaos life bench bench-quick generate build plugin sbom image image-check clean

# Node 24 comes with the npm packages; it goes before an older one on PATH.
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)

# npm writes this file last, so an interrupted installation is repeated.
installed := node_modules/.package-lock.json

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(installed) ## control plane, simulated platform and operator; ONCE=1 to stop when Ready, SCENARIO=bad-commit|rate-limit|outage|drift, SURFACE=full, SPEED=n
	@node test/demo/main.ts $(if $(filter-out 0,$(ONCE)),--once) $(if $(SCENARIO),--scenario '$(SCENARIO)') $(if $(SURFACE),--surface '$(SURFACE)') $(if $(SPEED),--speed '$(SPEED)')

test: $(installed) ## unit and integration tests, on a real control plane
	@npm run --silent test

e2e: $(installed) ## the operator with what it is run with, all real: helm, Argo CD, Flux's kstatus, Prometheus, Chromium
	@npm run --silent e2e:prepare && npm run --silent e2e

e2e-kind: $(installed) ## the image and the chart on a cluster by kind, with the quickstart; needs Docker
	@node scripts/e2e-kind.ts

check: $(installed) ## what static does, and the unit tests; about a minute
	@npm run --silent check

static: $(installed) ## lint, format, types, unused code, generated files fresh; seconds
	@npm run --silent static

chaos: export CHAOS := all
chaos: $(installed) ## every failure of docs/project/reliability.md, two to four hours; PART=unit|model|integration|chaos, ONLY=title, SEED=n (a new one each time)
	@export CHAOS_SEED=$(or $(SEED),$$(od -An -N3 -tu4 /dev/urandom | tr -d ' ')); echo "seed $$CHAOS_SEED"; \
	rm -f test-results/chaos-*.json; failed=0; for part in $(or $(PART),unit model integration chaos); do \
	  npm run --silent chaos -- --project $$part $$([ $$part != integration ] || echo --project afterwards) \
	    --outputFile.json=test-results/chaos-$$part.json $(if $(ONLY),-t '$(ONLY)') || failed=1; \
	done; \
	node scripts/count-plans.ts test-results/chaos-*.json || failed=1; echo "seed $$CHAOS_SEED"; exit $$failed

life: export CHAOS := all
life: $(installed) ## lives with one kill by name, PLAN=full-037-after,documented-002-before; LEARN=1 learns where they can be killed
	@CHAOS_PLAN='$(PLAN)' CHAOS_LEARN='$(filter-out 0,$(LEARN))' npm run --silent life lifecycle/$(if $(filter-out 0,$(LEARN)),learn,crash)

bench-quick: build ## cost of a create and a redeploy beside the fewest requests that do the same, two minutes; APPLICATIONS=n
	@npm run --silent bench:quick -- $(if $(APPLICATIONS),--applications '$(APPLICATIONS)')

bench: build ## operator, controller-runtime and oracle side by side, on a quiet machine, needs Go; ROUNDS=n APPLICATIONS=n MANY=n; writes docs/project/performance.md
	@npm run --silent bench -- $(if $(ROUNDS),--rounds '$(ROUNDS)') $(if $(APPLICATIONS),--applications '$(APPLICATIONS)') $(if $(MANY),--many '$(MANY)')

generate: $(installed) ## write the generated files (CRDs, RBAC) again
	@npm run --silent generate

simulate: $(installed) ## the simulated platform alone, on loopback; ARGS="--surface full --speed 10", ARGS=--help for all flags
	@node simulator/main.ts $(ARGS)

build: $(installed) ## bundle the operator into dist/operator.js, the simulated platform into dist/simulator.js
	@npm run --silent build

plugin: build ## the kubectl plugin for npm and Krew: dist/kubectl-platform-VERSION.tgz, dist/platform.yaml
	@node scripts/plugin.ts

# With --omit dev, npm 11 leaves out packages that a development tool needs too, e.g. zod: its package.json has none here.
sbom: $(installed) ## the bill of materials of the runtime packages, CycloneDX, in dist/
	@rm -rf dist/sbom && mkdir -p dist/sbom/platform-operator && cp package.json package-lock.json dist/sbom/platform-operator
	@cd dist/sbom/platform-operator && npm pkg delete devDependencies optionalDependencies && \
	  npm install --package-lock-only --ignore-scripts --offline --silent && \
	  npm sbom --package-lock-only --sbom-type application --sbom-format cyclonedx > ../../platform-operator.cdx.json

image: $(installed) ## the container image, by docker, podman or buildah; IMAGE=name VERSION=tag PUSH=1 NPMRC=file BUILD_IMAGE= RUNTIME_IMAGE=
	@node scripts/build-image.ts $(if $(IMAGE),--image '$(IMAGE)') $(if $(VERSION),--version '$(VERSION)') \
	  $(if $(filter-out 0,$(PUSH)),--push) $(if $(NPMRC),--npmrc '$(NPMRC)') \
	  $(if $(BUILD_IMAGE),--build-image '$(BUILD_IMAGE)') $(if $(RUNTIME_IMAGE),--runtime-image '$(RUNTIME_IMAGE)')

image-check: $(installed) ## the image built without an engine, pushed to a registry of its own, looked into and started
	@npm run --silent e2e -- test/e2e/image.test.ts

clean: ## remove what was built; packages and cached binaries stay
	rm -rf dist coverage test-results .demo

$(installed): package-lock.json
	@echo "installing npm packages, Node 24 among them (200 MB, once)"
	@npm ci --ignore-scripts --include=dev --include=optional --no-audit --no-fund --no-update-notifier --loglevel=error
	@touch $@
	@node scripts/require-node24.mjs
