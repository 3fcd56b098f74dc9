import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { newestMade } from './newest-made.ts';
import { LocalStartError } from './template/local-template.ts';

const root = join(import.meta.dirname, '../..');

/** Everything that a bundle or a stack can be made of. */
const sources = ['functions/**/*.ts', 'shared/**/*.ts', 'infra/*.ts', 'infra/aws/**/*.ts', 'infra/local/template/*.ts'];
const settings = ['infra/local/make-template.ts'];
const project = ['cdk.json', 'package.json', 'package-lock.json'];

/**
 * Folder of the stage Local as `make-template.ts` saves it, from an earlier start if none of its sources has changed.
 *
 * @throws LocalStartError with what bundler or CDK said.
 */
export function newestTemplate(): Promise<string> {
  return newestMade(join(root, 'node_modules/.cache/local-template'), {
    make: async (folder) => {
      const program = join(import.meta.dirname, 'make-template.ts');
      await promisify(execFile)(process.execPath, [program, folder], { cwd: root }).catch((error: unknown) => {
        const { stderr = String(error) } = error as { stderr?: string };
        throw new LocalStartError(`The functions or the stacks cannot be built:\n${stderr}`);
      });
      return [];
    },
    root,
    settings: () => [...globSync(sources, { cwd: root }), ...settings, ...project],
  });
}
