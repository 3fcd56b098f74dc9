// A plug-in of the CDK CLI (`plugin` in cdk.json): it tells the app whether the command may deploy.

const onlyLooks = 'STACKS_ARE_ONLY_LOOKED_AT';

/** Commands that change nothing. */
const looking = ['synth', 'synthesize', 'diff'];

/** Version of the CLI's contract with plug-ins. */
export const version = '1';

export function init(): void {
  const args = process.argv.slice(2);
  const looks = args.some((word) => looking.includes(word)) && !args.includes('deploy');
  process.env[onlyLooks] = String(looks);
}

/** Whether the CLI runs the app for a command that may deploy: any that is not known to be safe. */
export function commandDeploys(): boolean {
  return process.env['CDK_OUTDIR'] !== undefined && process.env[onlyLooks] !== 'true';
}
