import { endToEndId } from '../ids.ts';
import { post } from './ledger.ts';
import type { Received } from './model.ts';
import type { Session } from './session.ts';
import { receivedView } from './views.ts';

type Incoming = Pick<Received, 'account_key' | 'amount' | 'source' | 'pix_transfer_type'> &
  Partial<Pick<Received, 'pix_key' | 'pix_message' | 'end_to_end_id' | 'original'>>;

/** Books a Pix that came, and calls the client about it. */
export function receive(session: Session, incoming: Incoming): Received {
  const { now, ids, drawer } = session;
  const { account_key, amount, source } = incoming;
  const key = ids.uuid();
  const subtype = incoming.pix_transfer_type === 'reversal' ? 'pix_reversal' : 'pix';
  const received: Received = {
    end_to_end_id: endToEndId(source.ispb, now, ids),
    ...incoming,
    pix_transfer_key: key,
    transaction_key: post(session, { account_key, amount, subtype, origin_key: key, other: source }),
    created_at: now,
  };
  drawer.save('received', key, received);
  session.notify('baas.pix_transfer.incoming_pix', receivedView(session, received));
  return received;
}
