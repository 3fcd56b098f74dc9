import { routes } from '#functions/routes.ts';
import type { ErrorResponse, OperationErrors } from '#tools/docs/recorded-errors.ts';
import { operationErrors, statusesOfOperation } from '#tools/docs/recorded-errors.ts';
import type { Exchange } from '../support/exchanges.ts';
import { namesItsOwn } from '../support/own-fields.ts';
import type { RecordedError } from './recording.ts';
import { readError, weightOf } from './recording.ts';

const operations = routes.map(({ contract }) => ({
  operationId: contract.operationId,
  line: new RegExp(`^${contract.method} ${contract.path.replaceAll(/\{[^}]+\}/gu, '[^/?]+')}(\\?.*)?$`, 'u'),
  names: namesItsOwn(contract),
}));

/**
 * What each operation was answered with, by the statuses that depend on it: of 409 one answer an issue, else one. What
 * is shown already stays if it came again, so that a new run changes nothing.
 */
export function responsesOfOperations(exchanges: readonly Exchange[]): OperationErrors {
  const found = new Map<string, RecordedError[]>();
  for (const { sent, status, response } of exchanges) {
    const line = sent.slice(0, sent.indexOf('\n'));
    const operation = operations.find((one) => one.line.test(line));
    const read = readError(status, response);
    if (operation === undefined || read === undefined || !operation.names({ status, ...read.answer })) continue;
    const key = `${operation.operationId} ${status}`;
    found.set(key, [...(found.get(key) ?? []), read]);
  }
  const ofOperation = (operationId: string): readonly [string, readonly ErrorResponse[]][] =>
    statusesOfOperation.flatMap((status) => {
      const all = found.get(`${operationId} ${status}`);
      const shown = operationErrors[operationId]?.[String(status)] ?? [];
      return all ? [[String(status), choose(all, shown)]] : [];
    });
  return Object.fromEntries(
    operations.map(({ operationId }) => [operationId, Object.fromEntries(ofOperation(operationId))]),
  );
}

function choose(all: readonly RecordedError[], shown: readonly ErrorResponse[]): readonly ErrorResponse[] {
  const issueOf = ({ status, answer: response }: RecordedError): string =>
    status === 409 ? (response.details[0]?.issue ?? '') : '';
  return [...Map.groupBy(all, issueOf)]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([, same]) => {
      const [plainest] = same.toSorted((one, other) => (weightOf(one) < weightOf(other) ? -1 : 1));
      const again = shown.find((one) => same.some(({ answer: response }) => formOf(response) === formOf(one)));
      return again ?? plainest?.answer ?? [];
    });
}

/** What an answer says, whatever numbers and days stand in it. */
function formOf(response: ErrorResponse): string {
  return JSON.stringify(response).replaceAll(/\d+/gu, '0');
}
