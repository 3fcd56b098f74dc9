import { exitWith, run, runStep } from '../emulators/commands.ts';
import { pythonTool } from '../emulators/python-tools.ts';
import { bringMavenFiles } from './maven-files.ts';

/**
 * `npm run test:generators`: what openapi-generator makes of the document in Python, TypeScript and Java, compiled and
 * called against a local environment. Exits with the code of its tests.
 */
async function main(): Promise<number> {
  const files = await runStep('openapi-generator from Maven Central', bringMavenFiles);
  const python = await runStep('what its clients in Python need, from PyPI', () => pythonTool('openapi-client'));
  return run(['vitest', 'run', '--project', 'generators'], {
    environment: { TEST_GENERATORS: JSON.stringify({ ...files, python }) },
  });
}

exitWith(main());
