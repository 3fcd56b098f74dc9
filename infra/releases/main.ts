// npm run release -- ENVIRONMENT, npm run rollback -- ENVIRONMENT COMMIT. Further arguments go to the CDK CLI, such as
// `--require-approval never`.
import { pascalCase } from '../aws/names.ts';
import { exitWith, outputOf, run } from '#infra/releases/commands.ts';
import { environments } from '../environments.ts';
import { withCheckout } from './checkout.ts';
import { deployArgs, rollbackArgs } from './order.ts';

const usage = `npm run release -- ENVIRONMENT             deploys the committed release of this working copy
npm run rollback -- ENVIRONMENT COMMIT     deploys the service of an earlier commit; table and alarms stay

ENVIRONMENT is dev, hml or prod. Further arguments go to the CDK CLI. Both commands show the changes and ask before they deploy.`;

const names = Object.keys(environments).filter((name) => name !== 'local');

async function main([verb, name = '', ...args]: readonly string[]): Promise<number> {
  const [commit = '', ...rest] = args;
  if (!names.includes(name) || (verb === 'rollback' && !/^[\da-f]{7,40}$/u.test(commit))) {
    console.error(usage);
    return 2;
  }
  const stage = pascalCase(name);
  if (verb === 'rollback')
    return withCheckout(commit, (folder) => run(['cdk', ...rollbackArgs(stage), ...rest], { folder, asks: true }));
  const changes = await outputOf(['git', 'status', '--porcelain']);
  if (changes !== '') {
    console.error(
      `Cannot release uncommitted changes: a rollback needs a commit. Commit these files first:\n${changes}`,
    );
    return 1;
  }
  return run(['cdk', ...deployArgs(stage), ...args], { asks: true });
}

exitWith(main(process.argv.slice(2)));
