import { issues } from '#shared/core/errors.ts';
import { markdown } from '#test/bench/page.ts';
import type { TokenError } from '#shared/platform/http/refused-tokens.ts';
import { tokenErrors } from '#shared/platform/http/refused-tokens.ts';
import { errorStatusList, tokenErrorMeanings, issueMeanings, statusMeanings } from './error-meanings.ts';
import type { ErrorResponse } from './recorded-errors.ts';
import { recordedError } from './recorded-errors.ts';

const introduction = `# Errors

Every error has the same body, and names all faulty fields at once:

\`\`\`json
${JSON.stringify(recordedError('REQUIRED').answer, null, 2)}
\`\`\`

Decide by the status and by \`issue\`, never by the texts: they are for people, and may change. The simulation tools
respond to failures of the service with a list of texts.

The service gave every response on this page: \`npm run openapi\` writes it from those that the acceptance suite recorded.
[openapi.json](openapi.json) shows them for each operation and status. The header \`link\` of an error leads to its issues
here, or to its status where it has no details.`;

/** docs/errors.md: each status and issue under its own heading, with its cure and a recorded response. */
export function errorsPage(): string {
  const statuses = errorStatusList.flatMap((status) => {
    const { cause, cure } = statusMeanings[status];
    const error = `\`${recordedError(String(status)).answer.error}\`: ${cause} ${cure}`;
    return [`### \`${String(status)}\``, error, ...(status === 401 ? [tokenErrorTable()] : [])];
  });
  const ofIssues = issues.flatMap((issue) => {
    const { cause, cure } = issueMeanings[issue];
    const { status, answer } = recordedError(issue);
    return [`### \`${issue}\``, `${sentence(cause)} ${cure}`, `${String(status)}, ${detailsOf(answer)}`];
  });
  return `${[introduction, '## By status', ...statuses, '## By issue', ...ofIssues].join('\n\n')}\n`;
}

/** Each cause of a 401 with its message. */
function tokenErrorTable(): string {
  const rows = Object.entries(tokenErrorMeanings).map(([tokenError, { cause, cure }]) => [
    sentence(cause),
    cure,
    tokenErrors[tokenError as TokenError],
  ]);
  const order =
    'The header is judged first, then issuer and signature, then the times. A refusal is kept for 60 seconds, for that token.';
  return `${markdown([['Cause', 'What helps', '`message`'], ...rows])}\n\n${order}`;
}

function detailsOf({ details }: ErrorResponse): string {
  return details.map(({ field, description }) => `\`${field}\`: ${description}`).join(' ');
}

function sentence(text: string): string {
  const whole = text.charAt(0).toUpperCase() + text.slice(1);
  return whole.endsWith('.') ? whole : `${whole}.`;
}
