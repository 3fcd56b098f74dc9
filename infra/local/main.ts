// npm start: the stage Local of the CDK app, on this machine. Ends cleanly on SIGTERM and Ctrl-C.
import { environments } from '../environments.ts';
import { nextSteps, readOptions } from './options.ts';
import { endWithNpm } from './processes.ts';
import { seedLocal } from './sandbox.ts';
import type { LocalEnvironment } from './start-local.ts';
import { startLocal } from './start-local.ts';
import { LocalStartError } from './template/local-template.ts';
import { newestTemplate, takeTemplate } from './template/saved-template.ts';

// Functions run in threads of this process and must see the time zone that Lambda has.
process.env['TZ'] = 'UTC';

async function start(): Promise<LocalEnvironment> {
  return startLocal({
    options: readOptions(process.env, process.argv.slice(2)),
    readTemplate: async (folder) => takeTemplate(await newestTemplate(), folder),
    audience: environments.local.tokens.scope,
    seed: seedLocal,
    onReady: [recoverDeliveries],
  });
}

/**
 * A killed run may have lost messages between table and queue: re-enqueues everything that is still to be delivered,
 * without waiting for visibility timeouts.
 */
function recoverDeliveries(environment: LocalEnvironment): Promise<unknown> {
  return environment.invoke('SweepDeliveriesFunction', { redrive: true });
}

/** One line for what the person at the terminal can put right, the whole stack for everything else. */
function explain(error: unknown): string {
  if (error instanceof LocalStartError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

async function run(): Promise<void> {
  endWithNpm('start');
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
  console.log(nextSteps(environment.baseUrl));
}

run().catch((error: unknown) => {
  console.error(explain(error));
  process.exitCode = 1;
});
