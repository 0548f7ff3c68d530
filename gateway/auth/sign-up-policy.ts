/**
 * Who may sign up (docs/contract-decisions.md, "Mail and sign-up"): nobody where SIGNUP is disabled, only the domains
 * of EMAIL_DOMAINS where it is set, and never a disposable mailbox.
 */
import { disposableEmailBlocklistSet } from 'disposable-email-domains-js';
import { domainToASCII } from 'node:url';
import { ServiceError } from '../../protocol/errors.ts';

export interface SignUpPolicyOptions {
  readonly open: boolean;
  /** Domains whose addresses are accepted, their subdomains not included; empty accepts all. */
  readonly emailDomains: readonly string[];
}

export class SignUpPolicy {
  readonly #open: boolean;
  readonly #allowed: ReadonlySet<string>;
  readonly #disposable: ReadonlySet<string>;

  constructor(options: SignUpPolicyOptions) {
    this.#open = options.open;
    this.#allowed = new Set(options.emailDomains.map(normalize));
    this.#disposable = disposableEmailBlocklistSet();
  }

  /** Fails with `svc/auth/signup_disabled` or `svc/auth/email_domain_not_allowed`. */
  check(email: string): void {
    if (!this.#open) throw new ServiceError('svc/auth/signup_disabled');
    this.checkDomain(email);
  }

  /** Checks the domain alone: who is invited may sign up where the public may not. Fails with `svc/auth/email_domain_not_allowed`. */
  checkDomain(email: string): void {
    const domain = normalize(email.slice(email.lastIndexOf('@') + 1));
    const listed = this.#allowed.size === 0 || this.#allowed.has(domain);
    if (domain === '' || !listed || this.#isDisposable(domain)) {
      throw new ServiceError('svc/auth/email_domain_not_allowed');
    }
  }

  /** The list names registered domains; such services also give out addresses of subdomains. */
  #isDisposable(domain: string): boolean {
    for (let rest = domain; rest !== ''; rest = rest.slice(rest.indexOf('.') + 1)) {
      if (this.#disposable.has(rest)) return true;
      if (!rest.includes('.')) return false;
    }
    return false;
  }
}

/** The domain as DNS compares it: punycode, lower case, without the root's dot; empty when it is not a domain. */
function normalize(domain: string): string {
  return domainToASCII(domain.trim()).replace(/\.$/, '').toLowerCase();
}
