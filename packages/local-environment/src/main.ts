// npm start: runs the stage Local of the CDK app on this machine. SIGTERM and Ctrl-C stop it cleanly.
import { environments } from '#infra/environments.ts';
import { newestTemplate } from './newest-template.ts';
import { nextSteps, readOptions } from './options.ts';
import { endWithNpm, LocalStartError, takeTemplate } from '@banking-order/cdk-local';
import { showProgress } from './progress.ts';
import { seedSandbox } from './sandbox.ts';
import { startLocal } from './start-local.ts';

// Functions run in threads of this process and must see the time zone that Lambda has.
process.env['TZ'] = 'UTC';

/** Returns the message of an error that the developer can correct, and the stack of any other error. */
function explain(error: unknown): string {
  if (error instanceof LocalStartError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

const progress = showProgress(process.stdout);

async function run(): Promise<void> {
  endWithNpm('start');
  const building = (): void => {
    progress.begin('Build of the changed functions');
  };
  const environment = await startLocal({
    options: readOptions(process.env, process.argv.slice(2)),
    readTemplate: async (folder) => takeTemplate(await newestTemplate(building), folder),
    audience: environments.local.tokens.scope,
    seed: seedSandbox,
    begin: progress.begin,
  });
  progress.end();
  const end = (code: number): void => {
    environment.stop().then(
      () => process.exit(code),
      (error: unknown) => {
        console.error(explain(error));
        process.exit(1);
      },
    );
  };
  for (const signal of ['SIGTERM', 'SIGINT'])
    process.once(signal, () => {
      end(0);
    });
  void environment.failed.then((error) => {
    console.error(explain(error));
    end(1);
  });
  // A killed run may have lost messages between table and queue. The sweep enqueues every pending delivery again, due
  // or not, and requests the drains of the backlogs.
  void environment.invoke('SweepDeliveriesFunction', { redrive: true });
  // A killed run may also have missed callbacks: reads the bank's lists of the last days.
  if (environment.bankFile !== undefined) void environment.invoke('ReadBankListsFunction', { daily: true });
  console.log(`ready ${environment.baseUrl} (companies, secrets and accounts: ${environment.sandboxFile})`);
  if (environment.bankFile !== undefined) console.log(`bank ${environment.bankFile} (addresses, secret, certificates)`);
  console.log(nextSteps(environment.baseUrl));
}

run().catch((error: unknown) => {
  progress.end();
  console.error(explain(error));
  process.exitCode = 1;
});
