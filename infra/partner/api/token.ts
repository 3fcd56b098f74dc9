import type { Company, Sandbox } from '../sandbox.ts';
import type { Send } from './http.ts';
import { tokenRequest } from './request.ts';

/**
 * An access token for a company's client (RFC 6749, 4.4).
 * @throws Error with the answer when it is none.
 */
export async function fetchToken(
  { tokenUrl, scope }: Pick<Sandbox, 'tokenUrl' | 'scope'>,
  { clientId, clientSecret }: Pick<Company, 'clientId' | 'clientSecret'>,
  send: Send,
): Promise<string> {
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret, scope };
  const { status, text } = await send(...tokenRequest(tokenUrl, form));
  const token = status === 200 ? (JSON.parse(text) as { access_token?: unknown }).access_token : undefined;
  if (typeof token !== 'string') throw new Error(`The token endpoint answered ${status}: ${text.slice(0, 500)}`);
  return token;
}
