import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { send } from '#infra/partner/api/http.ts';
import { fetchToken } from '#infra/partner/api/client.ts';
import { companyOf, readSandbox } from '#infra/partner/sandbox.ts';
import { startInBackground, exitWith, run, runStep } from '#infra/emulators/commands.ts';
import { pythonTool } from '#infra/emulators/python-tools.ts';

const readyWithinSeconds = 90;
const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'negative_data_rejection',
  'takes_what_the_schema_allows',
];
/** A random clock would leave everything else in the past: it is walked last, alone. */
const clock = 'setClock';

/** `npm run test:document`: schemathesis walks the document and its links on an own local environment, reproducibly. */
async function main(): Promise<number> {
  const program = await runStep('schemathesis from PyPI', () => pythonTool('schemathesis'));
  const folder = mkdtempSync(join(tmpdir(), 'document-'));
  const log = join(folder, 'local.log');
  const sandboxFile = join(folder, 'data', 'sandbox.json');
  const local = await runStep('local environment', () =>
    startInBackground({
      command: ['node', 'infra/local/main.ts'],
      environment: { PORT: '0', LOCAL_DIR: join(folder, 'data') },
      log,
      isReady: () => Promise.resolve(/^ready/mu.test(readFileSync(log, 'utf8'))),
      readyWithinSeconds,
    }),
  );
  try {
    const sandbox = readSandbox(sandboxFile);
    const token = await fetchToken(sandbox, companyOf(sandbox), send);
    const walk = (...which: readonly string[]): Promise<number> =>
      run(
        [
          program,
          ...['--config-file', join(import.meta.dirname, 'schemathesis.toml')],
          ...['run', `${sandbox.baseUrl}/openapi.json`, '--header', `Authorization: Bearer ${token}`],
          ...['--checks', checks.join(','), ...which],
        ],
        { environment: { SCHEMATHESIS_HOOKS: join(import.meta.dirname, 'schema_allows.py') } },
      );
    const all = await runStep('every operation and every link', () => walk('--exclude-operation-id', clock));
    const turned = await runStep('the clock', () =>
      walk('--include-operation-id', clock, '--phases', 'examples,coverage,fuzzing'),
    );
    return all === 0 ? turned : all;
  } finally {
    await local.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

exitWith(main());
