/** How the demo speaks: numbered steps, facts below them, and a check for everything that the specification promises. */

/** Something is not as the specification says, or there is nothing to look at; the message is for a person. */
export class DemoFailure extends Error {
  override readonly name = 'DemoFailure';
}

let steps = 0;

export function step(title: string): void {
  steps += 1;
  console.log(`\n${String(steps).padStart(2)}. ${title}`);
}

export function fact(name: string, value: string | number): void {
  console.log(`    ${name.padEnd(18)} ${value}`);
}

export function say(text: string): void {
  for (const line of text.split('\n')) console.log(`    ${line}`);
}

/**
 * Says what holds.
 * @throws DemoFailure when it does not.
 */
export function check(what: string, holds: boolean, instead?: unknown): void {
  if (!holds)
    throw new DemoFailure(`${what}: this does not hold.${instead === undefined ? '' : ` Instead: ${text(instead)}`}`);
  console.log(`    ✔ ${what}`);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
