import type { Partner } from '#infra/partner/api/client.ts';
import { connectPartner } from '#infra/partner/api/client.ts';
import type { HttpResponse, Send, HttpRequest } from '#infra/partner/api/http.ts';
import type { Sandbox } from '#infra/partner/sandbox.ts';
import { Company, readSandbox } from '#infra/partner/sandbox.ts';

/** The companies of a sandbox file, each with what it takes to call the service for it. */
export type Companies = {
  readonly sandbox: () => Sandbox;
  /** Those that lack nothing. */
  readonly known: () => readonly Company[];
  /** Sends a request with a company's token; undefined when nobody knows the company. */
  readonly sendFor: (companyId: string, sent: HttpRequest) => Promise<HttpResponse> | undefined;
};

/** @param file Read at every use: operators' commands may add companies and change secrets. */
export function openCompanies(file: string, send: Send): Companies {
  const connected = new Map<string, Partner>();
  const known = (): readonly Company[] =>
    readSandbox(file).companies.flatMap((one) => {
      const read = Company.safeParse(one);
      return read.success ? [read.data] : [];
    });
  const connect = (company: Company): Partner => {
    const partner = connectPartner(readSandbox(file), company, send);
    connected.set(company.companyId, partner);
    return partner;
  };
  const sendAs = async (company: Company, sent: HttpRequest): Promise<HttpResponse> => {
    const before = connected.get(company.companyId);
    if (before?.clientSecret !== company.clientSecret) return connect(company).raw(sent);
    const answer = await before.raw(sent).catch((error: unknown) => {
      connected.delete(company.companyId);
      throw error;
    });
    // The token has expired: nothing was done, and the same request may be sent again.
    return answer.status === 401 ? connect(company).raw(sent) : answer;
  };
  return {
    sandbox: () => readSandbox(file),
    known,
    sendFor: (companyId, sent) => {
      const company = known().find((one) => one.companyId === companyId);
      return company === undefined ? undefined : sendAs(company, sent);
    },
  };
}
