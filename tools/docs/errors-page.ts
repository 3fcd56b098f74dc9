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
[openapi.json](openapi.json) shows them for each operation and status.`;

/** docs/errors.md: each status, cause of a 401 and issue with its cure; each issue with a recorded response. */
export function errorsPage(): string {
  const statuses = errorStatusList.map((status) => {
    const { cause, cure } = statusMeanings[status];
    return [`\`${String(status)}\``, `\`${recordedError(String(status)).answer.error}\``, cause, cure];
  });
  const ofIssues = issues.map((issue) => {
    const { cause, cure } = issueMeanings[issue];
    const { status, answer } = recordedError(issue);
    return [`\`${issue}\``, sentence(cause), cure, `${String(status)} ${detailsOf(answer)}`];
  });
  const tokenErrorRows = Object.entries(tokenErrorMeanings).map(([tokenError, { cause, cure }]) => [
    sentence(cause),
    cure,
    tokenErrors[tokenError as TokenError],
  ]);
  return `${[
    introduction,
    '## By status',
    markdown([['Status', '`error`', 'Cause', 'What helps'], ...statuses]),
    '## By cause of a 401',
    markdown([['Cause', 'What helps', '`message`'], ...tokenErrorRows]),
    'The header is judged first, then issuer and signature, then the times. A refusal is kept for 60 seconds, for that token.',
    '## By issue',
    markdown([['Issue', 'Cause', 'What helps', 'Status, `field` and `description` of a response'], ...ofIssues]),
  ].join('\n\n')}\n`;
}

function detailsOf({ details }: ErrorResponse): string {
  return details.map(({ field, description }) => `\`${field}\`: ${description}`).join(' ');
}

function sentence(text: string): string {
  const whole = text.charAt(0).toUpperCase() + text.slice(1);
  return whole.endsWith('.') ? whole : `${whole}.`;
}
