import { issues } from '#shared/core/errors.ts';
import { errorStatusList, issueMeanings, statusMeanings } from './error-meanings.ts';
import { notProvoked, recordedErrors } from './recorded-errors.ts';

const introduction = `# Errors

Every error has the same body: \`error\` and \`message\`, and \`details\` with one entry for each faulty field. Decide by the
status and by \`issue\`, never by the texts: they are for people, and may change. The simulation tools answer server failures
with a list of texts.

The answers on this page were given by the service: \`npm run openapi\` writes the page from those that the acceptance suite
recorded.`;

/** docs/errors.md: each status and issue with its cause, its cure and an example. */
export function errorsPage(): string {
  return `${[
    introduction,
    '## By status',
    ...errorStatusList.map((status) => sectionOf(String(status), statusMeanings[status])),
    '## By issue',
    ...issues.map((issue) => sectionOf(issue, issueMeanings[issue])),
  ].join('\n\n')}\n`;
}

function sectionOf(name: string, { cause, cure }: { readonly cause: string; readonly cure: string }): string {
  const recorded = recordedErrors[name];
  if (recorded === undefined) throw new Error(`No answer is recorded for ${name}: see docs/working.md.`);
  const { status, answer } = recorded;
  const origin = notProvoked.includes(name) ? ' (as the code writes it: no request brings it about)' : '';
  return `### \`${name}\`

${sentence(cause)}

**What helps.** ${cure}

Status ${String(status)}${origin}:

\`\`\`json
${JSON.stringify(answer, null, 2)}
\`\`\``;
}

function sentence(text: string): string {
  const whole = text.charAt(0).toUpperCase() + text.slice(1);
  return whole.endsWith('.') ? whole : `${whole}.`;
}
