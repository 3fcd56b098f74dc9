import { join } from 'node:path';
import { buildApp } from '../app.ts';
import { bundleFunctions } from '../bundle.ts';
import { environments } from '../environments.ts';
import { seedLocal } from '../partner/sandbox.ts';
import { readOptions } from './options.ts';
import { startLocal, type LocalEnvironment } from './start-local.ts';
import { LocalStartError } from './template/local-template.ts';

/** `npm start`: the stage Local of the CDK app, on this machine. Ends cleanly on SIGTERM and Ctrl-C. */

// Functions run in threads of this process and must see the time zone that Lambda has.
process.env['TZ'] = 'UTC';

async function start(): Promise<LocalEnvironment> {
  return startLocal({
    options: readOptions(process.env),
    buildApp: async (folder) => {
      const bundles = join(folder, 'functions');
      await bundleFunctions({ outdir: bundles });
      return buildApp({ bundles, environments: ['local'], outdir: join(folder, 'cdk.out') });
    },
    stage: 'Local',
    audience: environments.local.tokens.scope,
    seed: seedLocal,
  });
}

/** One line for what a person can put right, everything for what nobody foresaw. */
function explain(error: unknown): string {
  if (error instanceof LocalStartError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

async function run(): Promise<void> {
  const environment = await start();
  const stop = (code: number): void => {
    environment.stop().then(
      () => process.exit(code),
      (error: unknown) => {
        console.error(explain(error));
        process.exit(1);
      },
    );
  };
  process.once('SIGTERM', () => {
    stop(0);
  });
  process.once('SIGINT', () => {
    stop(0);
  });
  void environment.failed.then((error) => {
    console.error(explain(error));
    stop(1);
  });
  console.log(`ready ${environment.baseUrl} (companies, secrets and accounts: ${environment.sandboxFile})`);
}

run().catch((error: unknown) => {
  console.error(explain(error));
  process.exitCode = 1;
});
