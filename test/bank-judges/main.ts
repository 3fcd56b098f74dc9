import { join } from 'node:path';
import { exitWith, root, runStep } from '#infra/releases/commands.ts';
import { bringPackages } from '#tools/emulators/npm-packages.ts';
import { pythonTool } from '#tools/emulators/python-tools.ts';
import { judgeByPrism, playThroughPrism } from './adapter.ts';
import { judgeByClient } from './clients.ts';
import { judgeByEfiSchemas } from './efi-schemas.ts';
import type { Verdict } from './verdict.ts';
import { judgeByWalk } from './walk.ts';

const packages = join(root, 'node_modules/.cache/bank-judges');
const here = import.meta.dirname;

/** Prints the failures of a test program and its result, which add-up.ts reads. @returns whether all passed */
function print(judge: string, { passed, failures }: Verdict): boolean {
  for (const failure of failures) console.log(`  ${failure}`);
  console.log(`${judge}: ${passed} passed, ${failures.length} failed`);
  return failures.length === 0;
}

/**
 * `npm run tool -- test/bank-judges/main.ts`: software of others judges the adapter (`shared/bank/dialects/efi`) and
 * the bank on this machine (`packages/fake-bank`). No call leaves the machine but for the judges themselves.
 */
async function main(): Promise<number> {
  await runStep('Prism and Efí’s SDK from npm', () => bringPackages(join(here, 'packages'), packages));
  const python = await runStep('pypix-api from PyPI', () => pythonTool('pypix-api'));
  const schemathesis = await runStep('schemathesis from PyPI', () => pythonTool('schemathesis'));
  const played = await runStep('all commands of the adapter, through Prism', () => playThroughPrism(packages));
  const efi = join(here, 'efi-client.ts');
  const pypix = join(here, 'pypix_client.py');
  const verdicts = [
    print('prism', judgeByPrism(played)),
    print('efi_schemas', await judgeByEfiSchemas(packages, played.exchanges)),
    print(
      'efi_sdk',
      await judgeByClient({
        command: (connection) => [process.execPath, efi, connection, packages],
        ...{ authorities: 'NODE_EXTRA_CA_CERTS', calls: 24 },
      }),
    ),
    print(
      'pypix',
      await judgeByClient({
        command: (connection) => [python, pypix, connection],
        ...{ authorities: 'REQUESTS_CA_BUNDLE', calls: 19 },
      }),
    ),
    print('schemathesis', await judgeByWalk(schemathesis)),
  ];
  return verdicts.every(Boolean) ? 0 : 1;
}

exitWith(main());
