/** What somebody may do once the environment runs: `npm run …` scripts and addresses, each with what it is for. */
const steps: readonly (readonly [(baseUrl: string) => string, string])[] = [
  [() => 'npm run demo', 'a whole journey, told step by step, in a second terminal'],
  [() => 'npm run doctor', 'what is wrong, if something is, and what to do about it'],
  [(baseUrl) => `${baseUrl}/console`, 'what is yours, live: orders, deliveries, the payer’s phone'],
  [(baseUrl) => `${baseUrl}/docs`, 'the reference, where every call can be tried'],
  [(baseUrl) => `${baseUrl}/receiver/my-app`, 'a webhookUrl that takes everything; GET shows what came'],
  [
    () => 'npm run listen',
    'brings notifications to a receiver of yours: -- --forward-to http://127.0.0.1:4000/any/path',
  ],
  [() => 'README.md', 'the first calls with curl; docs/partners.md has the rest'],
];

/** Lines for the terminal, below the one that says `ready`. */
export function nextSteps(baseUrl: string): string {
  const rows = steps.map(([what, about]) => [what(baseUrl), about] as const);
  const width = Math.max(...rows.map(([what]) => what.length));
  return ['Next:', ...rows.map(([what, about]) => `  ${what.padEnd(width)}  ${about}`), 'Ctrl-C stops it.'].join('\n');
}
