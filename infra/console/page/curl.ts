import type { Ask } from '../operations.ts';
import type { Environment } from '../published.ts';

/** A request as a line for the shell; the token is a variable, for no token is ever here. */
export function curlOf({ baseUrl, routes }: Pick<Environment, 'baseUrl' | 'routes'>, asked: Ask): string {
  const { operation, params = {}, query = {}, body } = asked;
  const { method, path, takesKey } = routes[operation];
  const place = path.replaceAll(/\{([^}]+)\}/gu, (_whole, name: string) => encodeURIComponent(params[name] ?? ''));
  const search = new URLSearchParams(query).toString();
  const url = `${baseUrl}${place}${search === '' ? '' : `?${search}`}`;
  return [
    `curl -s${method === 'GET' ? '' : ` -X ${method}`} ${quoted(url)}`,
    `-H "authorization: Bearer $TOKEN"`,
    ...(takesKey ? ['-H "idempotency-key: $(uuidgen)"'] : []),
    ...(body === undefined ? [] : [`-H 'content-type: application/json'`, `-d ${quoted(JSON.stringify(body))}`]),
  ].join(' \\\n  ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
