import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);

/** Runs code in a process of its own, which has no setting of a function. */
function run(code: string) {
  const { METRIC_NAMESPACE: _unset, ...env } = process.env;
  return spawnSync(process.execPath, ['--input-type=module', '--eval', code], { cwd: root, env, encoding: 'utf8' });
}

const countAStatus = `
  const { answersOnStdout } = await import('./shared/platform/output.ts');
  const { countStatus } = await import('./shared/platform/commit-transition.ts');
  const { logMeasured } = await import('./shared/platform/metrics.ts');
  answersOnStdout();
  countStatus('DISPUTE', 'OPEN');
  const metrics = [{ name: 'Authorizations', unit: 'Count', value: 1 }];
  logMeasured('info', 'Measured', { id: 1 }, { atMs: 0, by: 'outcome', dimensions: { outcome: 'ok' }, metrics });
  console.log('done');`;

test('a command-line tool counts no metric and needs no namespace, when it changes a status', () => {
  const { status, stdout, stderr } = run(countAStatus);
  expect({ status, stdout }, stderr).toEqual({ status: 0, stdout: 'done\n' });
  expect(stderr).toContain('"Measured"');
  expect(stderr).not.toContain('_aws');
});
