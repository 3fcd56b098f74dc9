import { Ajv } from 'ajv';
import formatsModule from 'ajv-formats';
import { readCorrectedFile } from './corrections.ts';

const { document } = readCorrectedFile();
const ajv = new Ajv({ strict: false, allErrors: true, schemas: [{ $id: 'bcb', ...document }] });
formatsModule.default(ajv);

const escaped = (part: string): string => part.replaceAll('~', '~0').replaceAll('/', '~1');

/** The schema at these segments of the file; those of a reference where it has one. */
function validatorAt(segments: readonly string[]) {
  let node = document;
  let at = [...segments];
  for (let depth = 0; depth < at.length; depth += 1) {
    node = node?.[at[depth]!];
    if (node?.$ref !== undefined && depth < at.length - 1) {
      const target = String(node.$ref).slice(2).split('/');
      at = [...target, ...at.slice(depth + 1)];
      node = document;
      depth = -1;
    }
  }
  return node === undefined ? undefined : ajv.getSchema(`bcb#/${at.map(escaped).map(encodeURIComponent).join('/')}`);
}

type Exchange = {
  readonly method: string;
  /** With `/v2` before it. */
  readonly path: string;
  readonly body?: unknown;
  readonly status: number;
  readonly type: string;
  readonly response: unknown;
};

/** Without those of payloads, which payers' banks read: their paths take all others for tokens. */
const templates = Object.keys(document.paths as object)
  .filter((template) => !template.includes('UrlAccessToken'))
  .map((template) => ({
    template,
    pattern: new RegExp(`^/v2${template.replaceAll(/\{\w+\}/gu, '[^/]+')}$`, 'u'),
  }));

/**
 * What breaks BCB's file in a call and its answer; nothing for calls that the file does not have. A request is judged
 * when the bank took it: others are wrong on purpose.
 */
export function violationsOf({ method, path, body, status, type, response }: Exchange): readonly string[] {
  const { pathname } = new URL(path, 'https://bank');
  const found = templates.find(({ pattern }) => pattern.test(pathname));
  if (found === undefined) return [];
  const operation = ['paths', found.template, method.toLowerCase()];
  const content = (media: string) => ['content', media, 'schema'];
  const requested =
    status < 300 && body !== undefined
      ? judge([...operation, 'requestBody', ...content('application/json')], body)
      : [];
  const media = type.split(';')[0]!;
  // The answer of a webhook's registration has no body there; Efí repeats the address.
  // The text names refusals of questions (`RecConsultaInvalida`) that the paths leave out.
  const isLeftOut = method === 'GET' && status === 400;
  const answerAt = isLeftOut
    ? ['components', 'schemas', 'Problema']
    : [...operation, 'responses', String(status), ...content(media)];
  const isBodiless = status === 204 || (method === 'PUT' && found.template.startsWith('/webhook'));
  const answered = isBodiless && status < 300 ? [] : judge(answerAt, response);
  return [...requested, ...answered].map((text) => `${method} ${pathname} ${status}: ${text}`);
}

/** What breaks the file in the body of a callback. @param name Of the request body: `WebhookPixBody`. */
export function callbackViolations(name: string, body: unknown): readonly string[] {
  return judge(['components', 'requestBodies', name, 'content', 'application/json', 'schema'], body);
}

function judge(segments: readonly string[], value: unknown): readonly string[] {
  const validate = validatorAt(segments);
  if (validate === undefined) return [`the file has no ${segments.join(' ')}`];
  void validate(value);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message ?? ''}`);
}
