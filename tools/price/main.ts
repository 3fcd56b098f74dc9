// npm run price: writes the numbers of docs/price.md again, from the templates of production, docs/capacity.md and
// docs/benchmarks.md.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildApp } from '#infra/app.ts';
import { environments } from '#infra/environments.ts';
import type { EnvironmentSettings } from '#infra/settings.ts';
import type { DeployedResource } from './deployed.ts';
import { countDeployed } from './deployed.ts';
import { readMeasured } from './measured.ts';
import { withPrices } from './page.ts';

const docs = 'docs';

/** Production as a company deploys it: with a recipient of alarms and the synthetic caller. */
const priced: EnvironmentSettings = {
  ...environments.prod,
  alarms: { ...environments.prod.alarms, email: 'on-call@banco.example' },
  caller: { secretArn: 'arn:aws:secretsmanager:sa-east-1:111111111111:secret:caller-a1b2c3' },
};

/** All resources of the stacks of production, by their logical ids, which are unique among them. */
function resourcesOf(settings: EnvironmentSettings): ReadonlyMap<string, DeployedResource> {
  const outdir = mkdtempSync(join(tmpdir(), 'price-'));
  try {
    const app = buildApp({ environments: ['prod'], settings: { prod: settings }, outdir });
    const stacks = app.synth().nestedAssemblies.flatMap(({ nestedAssembly }) => nestedAssembly.stacks);
    const all = stacks.flatMap(({ stackName, template }) =>
      Object.entries((template as { Resources: Record<string, DeployedResource> }).Resources).map(
        ([id, resource]) => [id, stackName, resource] as const,
      ),
    );
    const found = new Map<string, DeployedResource>();
    // CDK's own record of a stack has the same id in each.
    for (const [id, stackName, resource] of all) found.set(found.has(id) ? `${stackName} ${id}` : id, resource);
    return found;
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

/** The page with its tables computed anew. */
export function currentPage(): { readonly before: string; readonly now: string } {
  const read = (name: string): string => readFileSync(join(docs, name), 'utf8');
  const before = read('price.md');
  const measured = readMeasured({ capacity: read('capacity.md'), benchmarks: read('benchmarks.md') });
  const deployed = countDeployed(resourcesOf(priced));
  return { before, now: withPrices(before, { settings: priced, deployed, measured }) };
}

if (import.meta.main) writeFileSync(join(docs, 'price.md'), currentPage().now);
