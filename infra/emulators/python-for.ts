import { exitWith } from './commands.ts';
import type { PythonTool } from './python-tools.ts';
import { pythonFor, pythonTools } from './python-tools.ts';

/**
 * `node infra/emulators/python-for.ts localstack` names the Python that a tool would run on, or says that there
 * is none (exit 1).
 */
async function main(): Promise<number> {
  const [name = ''] = process.argv.slice(2);
  if (!Object.hasOwn(pythonTools, name)) throw new Error(`Name one of ${Object.keys(pythonTools).join(', ')}.`);
  console.log(await pythonFor(name as PythonTool));
  return 0;
}

exitWith(main());
