import type { CloudAssembly } from 'aws-cdk-lib/cx-api';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildApp } from '#infra/app.ts';
import { environments } from '#infra/environments.ts';
import type { EnvironmentSettings } from '#infra/settings.ts';
import { exitWith, run, runStep } from '#infra/releases/commands.ts';
import { pythonTool } from './python-tools.ts';

/** Rules of cfn-lint that are ignored, each with its reason. All else fails, warnings too. */
const acknowledged: Readonly<Record<string, string>> = {
  W3005: 'the CDK writes DependsOn for a role even where a reference already orders the two',
};

/** `hml` with all its optional stages, so that these are linted too: the linter knows which actions of IAM exist. */
const hml: EnvironmentSettings = {
  ...environments.hml,
  target: { region: 'sa-east-1', account: '111111111111' },
  pipeline: { repository: 'bank/orders' },
  callbacks: {
    authorities: true,
    domain: {
      hostName: 'callbacks.example.com.br',
      certificateArn: 'arn:aws:acm:sa-east-1:111111111111:certificate/1',
    },
  },
  alarms: { ...environments.hml.alarms, email: 'on-call@banco.example' },
  data: { ...environments.hml.data, copies: { account: '222222222222', days: 35 } },
};

/**
 * `npm run tool -- tools/emulators/lint-templates.ts`: cfn-lint on the templates of all environments. Exits with its
 * code.
 */
async function main(): Promise<number> {
  const cfnLint = await runStep('cfn-lint from PyPI', () => pythonTool('cfn-lint'));
  const outdir = mkdtempSync(join(tmpdir(), 'templates-'));
  try {
    const app = buildApp({ outdir, settings: { hml }, context: { local: true } });
    const templates = await runStep('synthesis', () => Promise.resolve(templatesOf(app.synth())));
    const code = await runStep(`cfn-lint on ${templates.length} templates`, () =>
      run([cfnLint, '--regions', 'sa-east-1', '--ignore-checks', ...Object.keys(acknowledged), '--', ...templates]),
    );
    if (code === 0)
      for (const [rule, reason] of Object.entries(acknowledged)) console.log(`ignored: ${rule}, ${reason}`);
    return code;
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

/** The template files of an assembly and its stages. */
function templatesOf(assembly: CloudAssembly): string[] {
  return [
    ...assembly.stacks.map((stack) => stack.templateFullPath),
    ...assembly.nestedAssemblies.flatMap((nested) => templatesOf(nested.nestedAssembly)),
  ];
}

exitWith(main());
