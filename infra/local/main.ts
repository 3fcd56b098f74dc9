// npm start: the stage Local of the CDK app, on this machine. Ends cleanly on SIGTERM and Ctrl-C.
import { join } from 'node:path';
import { stop } from 'esbuild';
import { bundleFunctions } from '../bundle.ts';
import { environments } from '../environments.ts';
import { seedLocal } from '../partner/sandbox.ts';
import { newestBundles } from './function-bundles.ts';
import { readOptions } from './options.ts';
import { startLocal, type LocalEnvironment } from './start-local.ts';
import { LocalStartError } from './template/local-template.ts';

/** How often a run under npm looks whether npm is still there. */
const PARENT_LOOK_MS = 200;

const ROOT = join(import.meta.dirname, '../..');

// Functions run in threads of this process and must see the time zone that Lambda has.
process.env['TZ'] = 'UTC';

async function start(): Promise<LocalEnvironment> {
  return startLocal({
    options: readOptions(process.env),
    buildApp: async (folder) => {
      const bundling = newestBundles(join(ROOT, 'node_modules/.cache/local-functions'), {
        bundle: async (outdir) => {
          const record = await bundleFunctions({ outdir });
          // The bundler would stay beside the environment, for a next time that never comes.
          await stop();
          return record;
        },
        root: ROOT,
        settings: ['infra/bundle.ts', 'infra/workers.ts', 'functions/routes.ts', 'package-lock.json'],
      });
      // CDK takes half a second to load: meanwhile the bundler works, in a process of its own.
      const { buildApp } = await import('../app.ts');
      return buildApp({ bundles: await bundling, environments: ['local'], outdir: join(folder, 'cdk.out') });
    },
    stage: 'Local',
    audience: environments.local.tokens.scope,
    seed: seedLocal,
    onReady: [recoverDeliveries],
  });
}

/**
 * A run that was killed may have lost what stood between table and queue, and whoever restarts should not wait for visibility timeouts:
 * everything that is still to be delivered is sent anew.
 */
function recoverDeliveries(environment: LocalEnvironment): Promise<unknown> {
  return environment.invoke('SweepDeliveriesFunction', { recover: true });
}

/** One line for what a person can put right, everything for what nobody foresaw. */
function explain(error: unknown): string {
  if (error instanceof LocalStartError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/**
 * Under npm, the end of npm is the end of this: a killed `npm start` must not leave a service behind that holds port and
 * folder. As after any crash, nothing that was answered is lost.
 */
function endWithNpm(): void {
  if (process.env['npm_lifecycle_event'] !== 'start') return;
  const npm = process.ppid;
  setInterval(() => {
    if (process.ppid !== npm) process.exit(1);
  }, PARENT_LOOK_MS).unref();
}

async function run(): Promise<void> {
  endWithNpm();
  const environment = await start();
  const end = (code: number): void => {
    environment.stop().then(
      () => process.exit(code),
      (error: unknown) => {
        console.error(explain(error));
        process.exit(1);
      },
    );
  };
  process.once('SIGTERM', () => {
    end(0);
  });
  process.once('SIGINT', () => {
    end(0);
  });
  void environment.failed.then((error) => {
    console.error(explain(error));
    end(1);
  });
  console.log(`ready ${environment.baseUrl} (companies, secrets and accounts: ${environment.sandboxFile})`);
}

run().catch((error: unknown) => {
  console.error(explain(error));
  process.exitCode = 1;
});
