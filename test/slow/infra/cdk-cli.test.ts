import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, test } from 'vitest';
import { environments } from '#infra/environments.ts';
import { pathWithPackages, root } from '#infra/releases/commands.ts';
import { unsetValues } from '#infra/unset-values.ts';

const folder = mkdtempSync(join(tmpdir(), 'cdk-cli-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** The app of cdk.json without its bundles, which take longer than all the rest, and without a receiver of alarms. */
const app = `node --input-type=module --eval "
  import { buildApp } from '#infra/app.ts';
  import { environments } from '#infra/environments.ts';
  const deaf = (name) => ({ [name]: { ...environments[name], alarms: {} } });
  buildApp({ settings: { ...deaf('hml'), ...deaf('prod') } }).synth();"`;
const lacking = (name: 'hml' | 'prod') => unsetValues({ ...environments[name], alarms: {} });

/** Runs the pinned CLI with the plug-in of cdk.json, where there are no credentials. */
async function cdk(...args: readonly string[]): Promise<{ code: number | null; output: string }> {
  const nowhere = join(folder, 'none');
  const own = Object.entries(process.env).filter(([name]) => !/^(?:AWS|CDK)_/u.test(name));
  const child = spawn('cdk', [...args, '--output', join(folder, 'cdk.out'), '--no-notices', '--no-color'], {
    cwd: root,
    env: {
      ...Object.fromEntries(own),
      PATH: pathWithPackages(),
      HOME: folder,
      AWS_EC2_METADATA_DISABLED: 'true',
      AWS_CONFIG_FILE: nowhere,
      AWS_SHARED_CREDENTIALS_FILE: nowhere,
      CDK_DISABLE_CLI_TELEMETRY: 'true',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const [out, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  return { code, output: out + errors };
}

const list = (name: 'hml' | 'prod') =>
  `${name} lacks these values, in infra/environments.ts unless the line names another file:`;
const asksForCredentials = 'Unable to resolve AWS account';

describe('the CDK CLI', () => {
  test.each([
    ['every stack of production', ['deploy', 'Prod/*'], ['prod']],
    ['one stack of production', ['deploy', 'Prod/Service', '--exclusively'], ['prod']],
    ['every stack', ['--require-approval', 'never', 'deploy', '**'], ['hml', 'prod']],
  ] as const)(
    'stops a deployment of %s before it asks for credentials, and prints the unset values once',
    async (_what, args, lists) => {
      const { code, output } = await cdk(...args, '--app', app);
      expect(code, output).toBe(1);
      expect(output).not.toContain(asksForCredentials);
      for (const name of lists) {
        expect(output.split(list(name)), output).toHaveLength(2);
        for (const { setting, description: description } of lacking(name))
          expect(output).toContain(`  ${setting}: ${description}`);
      }
    },
  );

  test('goes on with dev whatever production lacks', async () => {
    const { output } = await cdk('deploy', 'Dev/*', '--app', app);
    expect(output).toContain(asksForCredentials);
    expect(output).not.toContain(list('prod'));
  });

  test('goes on with what only looks, and warns', async () => {
    const synthesized = await cdk('synth', 'Prod/*', '--quiet', '--app', app);
    expect(synthesized.code, synthesized.output).toBe(0);
    expect(synthesized.output).toContain(list('prod'));
    const compared = await cdk('diff', 'Prod/*', '--app', app);
    expect(compared.output).toContain(asksForCredentials);
  });
});
