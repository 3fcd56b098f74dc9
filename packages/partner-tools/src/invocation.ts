import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Defined only in the bundle that partners install (tools/kit/bundle.ts). */
declare const installedPackage: true | undefined;

const isInstalled = typeof installedPackage !== 'undefined';

/** The tools, by the names under which they are called. */
export type ToolName =
  | 'check-receiver'
  | 'console'
  | 'doctor'
  | 'kit'
  | 'listen'
  | 'login'
  | 'rotate'
  | 'scenario'
  | 'statement'
  | 'trigger'
  | 'verify-statement';

/** Returns the command line of a tool: a script of the repository, or the command of the installed package. */
export function commandLine(tool: ToolName | 'TOOL', args = ''): string {
  if (isInstalled) return `npx banking-order ${tool}${args === '' ? '' : ` ${args}`}`;
  return `npm run ${tool}${args === '' ? '' : ` -- ${args}`}`;
}

/** The oldest Node on which the tools run. */
export const oldestNode = isInstalled ? 20 : 24;

/** Remedy for a missing or older Node. */
export const howToGetNode = isInstalled
  ? `Install Node ${oldestNode} or later: https://nodejs.org.`
  : `Run "npm ci" on Linux x64, which brings Node ${oldestNode}, or install it.`;

/** Remedy where no environment responds. */
export const howToStart = isInstalled
  ? 'Check the addresses in the sandbox file, or start the environment'
  : 'Start an environment with "npm start" in another terminal';

/** Remedy for a missing sandbox file. */
export const howToGetSandbox = isInstalled
  ? `Create one with "${commandLine('login')}", or name another file with --sandbox`
  : 'Start an environment with "npm start" in another terminal, or name its file with --sandbox';

/** The OpenAPI document of the repository, or the copy beside the bundle. */
export const documentFile = isInstalled
  ? fileURLToPath(new URL('openapi.json', import.meta.url))
  : resolve('docs/openapi.json');

/** Whether an environment may run on this machine with an engine of this repository. */
export const knowsEngines = !isInstalled;
