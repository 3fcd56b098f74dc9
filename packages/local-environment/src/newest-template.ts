import { LocalStartError } from '@banking-order/cdk-local';
import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bundleSources } from '#infra/aws/bundle-sources.ts';
import { newestBuild } from '#infra/aws/newest-build.ts';

/** Root of the project: every npm script runs there. */
const root = process.cwd();
const program = 'packages/local-environment/src/build-template.ts';

/** Everything that a bundle or a stack can be made of. */
const sources = [...bundleSources, 'infra/*.ts', 'packages/cdk-local/src/template/*.ts', program, 'cdk.json'];

/**
 * Folder of the stage Local as `build-template.ts` saves it, from an earlier start if none of its sources has changed.
 *
 * @param building Called before it is made again, which takes long.
 * @throws LocalStartError with the output of bundler or CDK.
 */
export function newestTemplate(building: () => void = () => undefined): Promise<string> {
  const files = (): string[] => globSync(sources, { cwd: root }).map((file) => join(root, file));
  return newestBuild(join(root, 'node_modules/.cache/local-template'), files, async (folder) => {
    building();
    await promisify(execFile)(process.execPath, [program, folder], { cwd: root }).catch((error: unknown) => {
      const { stderr = String(error) } = error as { stderr?: string };
      throw new LocalStartError(`Cannot build the functions or the stacks:\n${stderr}`);
    });
  });
}
