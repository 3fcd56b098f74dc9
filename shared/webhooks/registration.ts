import { wrong } from '../core/errors.ts';
import { checkTarget } from './dispatch/target-guard.ts';

/**
 * Demands that a URL may be called by this service.
 * @throws Refusal INVALID_VALUE (400) on the field that holds the URL, saying why it may not.
 */
export async function requireCallableUrl(
  field: string,
  url: string,
  { allowLocalTargets }: { readonly allowLocalTargets: boolean },
): Promise<void> {
  const fault = await checkTarget(url, { allowLocal: allowLocalTargets });
  if (fault !== undefined) throw wrong(field, 'INVALID_VALUE', fault);
}
