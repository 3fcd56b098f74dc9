import type { Finding } from '../world/history.ts';

/** Parts of a log line that could be a document, a phone or a name. */
const digits = /\d{10,14}/gu;
const addresses = /[\w.+-]+@[\w-]+\.[\w.-]+/gu;
const secrets = /whsec_[A-Za-z0-9+/]{8,}|eyJ[\w-]+\.[\w-]+/u;

/** No secret and no personal data in any line of the log. */
export function logChecks(finding: Finding, isPersonal: (text: string) => boolean) {
  return (line: string): void => {
    const found =
      secrets.exec(line)?.[0] ??
      [...line.matchAll(addresses), ...line.matchAll(digits)].map(([word]) => word).find(isPersonal);
    if (found !== undefined)
      finding('no secret or personal data in the log', `${found.slice(0, 12)} in ${line.slice(0, 400)}`, []);
    if (isPersonal(line)) finding('no secret or personal data in the log', line.slice(0, 400), []);
  };
}
