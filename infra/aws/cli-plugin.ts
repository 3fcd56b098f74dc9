// A plug-in of the CDK CLI (`plugin` in cdk.json), which loads it before it runs the app: it tells the app whether the
// command deploys, which the CLI itself does not.

const onlyLooks = 'STACKS_ARE_ONLY_LOOKED_AT';

/** Commands that judge the stacks they choose, and change nothing. */
const looking = ['synth', 'synthesize', 'diff'];

/** Version of the contract between the CLI and its plug-ins. */
export const version = '1';

export function init(): void {
  const words = process.argv.slice(2);
  const looks = words.some((word) => looking.includes(word)) && !words.includes('deploy');
  process.env[onlyLooks] = String(looks);
}

/** Whether the CLI runs this app for a command that may deploy: every one that the plug-in does not know to be safe. */
export function commandDeploys(): boolean {
  return process.env['CDK_OUTDIR'] !== undefined && process.env[onlyLooks] !== 'true';
}
