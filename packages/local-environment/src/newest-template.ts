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

/** All sources of the bundles and the stacks. After a change of one of these files the template is built again. */
const sources = [...bundleSources, 'infra/*.ts', 'packages/cdk-local/src/template/*.ts', program, 'cdk.json'];

/**
 * Returns the folder in which `build-template.ts` saves the stage Local. Builds it only if a source has changed since
 * an earlier start.
 *
 * @param building Called before a build, which takes long.
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
