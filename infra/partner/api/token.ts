import * as z from 'zod';
import type { Company, Sandbox } from '../sandbox.ts';
import { ToolFailure } from '../command-line.ts';
import type { Received, Send } from './http.ts';
import { tokenRequest } from './request.ts';

/** The client is refused: no waiting mends it. */
export class TokenRefused extends ToolFailure {
  override readonly name = 'TokenRefused';
}

const Given = z.object({ access_token: z.string().optional(), error: z.string().optional() });

/**
 * An access token for a company's client (RFC 6749, 4.4).
 * @throws TokenRefused when the client is; ToolFailure when the answer is no token for another reason.
 */
export async function fetchToken(
  { tokenUrl, scope }: Pick<Sandbox, 'tokenUrl' | 'scope'>,
  { clientId, clientSecret }: Pick<Company, 'clientId' | 'clientSecret'>,
  send: Send,
): Promise<string> {
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret, scope };
  const received = await send(...tokenRequest(tokenUrl, form));
  const { status } = received;
  const { access_token: token, error } = given(received);
  if (status === 200 && token !== undefined) return token;
  const answer = error === undefined ? `${status}` : `${status} ${error}`;
  if (status >= 400 && status < 500 && status !== 429)
    throw new TokenRefused(
      `${tokenUrl} refuses a token to the client ${clientId} (${answer}).`,
      'Give clientId, clientSecret, scope and tokenUrl in the sandbox file as you got them; an operator makes a new secret.',
    );
  throw new ToolFailure(
    `${tokenUrl} gives no token (${answer}).`,
    'Try again, and look at tokenUrl in the sandbox file.',
  );
}

/** What the answer says; nothing where it is something else than JSON. */
function given({ text }: Received): z.infer<typeof Given> {
  try {
    return Given.safeParse(JSON.parse(text)).data ?? {};
  } catch {
    return {};
  }
}
