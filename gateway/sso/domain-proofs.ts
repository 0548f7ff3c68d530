/** A workspace has a domain where the domain's DNS says so: a TXT record with what the workspace was given (RFC 1464). */
import { Resolver } from 'node:dns/promises';
import { domainToASCII } from 'node:url';

/** Before the domain, so that the record gets into the way of no other. */
const label = '_skein-sso';
/** Of one attempt of a name server, in milliseconds, and how many there are. */
const timeoutMs = 3_000;
const tries = 2;
/** Records of one name that are looked at. */
const maxRecords = 100;

/** The TXT records of a name, each of one or more parts. */
export type FindRecords = (name: string) => Promise<readonly (readonly string[])[]>;

/** A domain as DNS compares it: punycode, lower case, without the root's dot. Undefined: it is none, or names a machine alone. */
export function toDomain(text: string): string | undefined {
  const domain = domainToASCII(text.trim().replace(/\.$/, '')).toLowerCase();
  const isDomain =
    /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/;
  return isDomain.test(domain) ? domain : undefined;
}

export class DomainProofs {
  readonly #find: FindRecords;

  /** @param find by default the name servers, `address:port`; none: those of the system */
  constructor(nameServers: readonly string[] = [], find: FindRecords = createFinder(nameServers)) {
    this.#find = find;
  }

  /** Where the record has to be. */
  getName(domain: string): string {
    return `${label}.${domain}`;
  }

  /** Whether one of the records is the proof, and nothing else. No answer is no proof. */
  async isProven(domain: string, proof: string): Promise<boolean> {
    return (await this.find(domain, proof)) === true;
  }

  /** Resolves to whether the record is there. Undefined: DNS gave no answer, which says nothing. */
  async find(domain: string, proof: string): Promise<boolean | undefined> {
    try {
      const records = await this.#find(this.getName(domain));
      return records.slice(0, maxRecords).some(parts => parts.join('') === proof);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      return code === 'ENOTFOUND' || code === 'ENODATA' ? false : undefined;
    }
  }
}

function createFinder(nameServers: readonly string[]): FindRecords {
  const resolver = new Resolver({ timeout: timeoutMs, tries });
  if (nameServers.length > 0) resolver.setServers(nameServers);
  return name => resolver.resolveTxt(name);
}
