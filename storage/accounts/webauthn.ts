/**
 * Passkeys (WebAuthn, https://www.w3.org/TR/webauthn-3/): what browsers are asked for, and whether what they answer is right. The authenticator
 * has to know its user by a PIN, a finger or a face, so that a passkey alone stands for two factors, and has to keep the credential itself, so
 * that it needs no name of a user.
 *
 * The library is loaded with the first use: it brings the formats of every maker of authenticators.
 */
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { isIP } from 'node:net';

/** How long a browser waits for its user, in milliseconds: as long as the challenge is good. */
export const ceremonyMs = 5 * 60_000;
const serviceName = 'Skein';

export type CreationOptions = PublicKeyCredentialCreationOptionsJSON;
export type RequestOptions = PublicKeyCredentialRequestOptionsJSON;

/** For whom authenticators sign: the name that passkeys belong to, and the one origin whose pages may use them. */
export interface RelyingParty {
  readonly id: string;
  readonly origin: string;
}

/** What a passkey is known by at the service. */
export interface Credential {
  readonly credentialId: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly counter: number;
  readonly transports: readonly string[];
}

/**
 * The relying party of a public address. Browsers know no passkeys for IP addresses, so that a loopback address goes by the name `localhost`;
 * at any other IP address nobody can have one.
 */
export function toRelyingParty(baseUrl: string): RelyingParty {
  const url = new URL(baseUrl);
  const bare = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(bare) !== 0 && (bare.startsWith('127.') || bare === '::1')) url.hostname = 'localhost';
  return { id: url.hostname, origin: url.origin };
}

const load = () => import('@simplewebauthn/server');

/** @param user the account, as the authenticator shows it */
export async function createCreationOptions(
  party: RelyingParty,
  challenge: Buffer,
  user: { readonly userId: string; readonly email: string; readonly known: readonly Credential[] },
): Promise<CreationOptions> {
  const { generateRegistrationOptions } = await load();
  return generateRegistrationOptions({
    rpName: serviceName,
    rpID: party.id,
    userID: new Uint8Array(Buffer.from(user.userId)),
    userName: user.email,
    userDisplayName: user.email,
    challenge: new Uint8Array(challenge),
    timeout: ceremonyMs,
    attestationType: 'none',
    excludeCredentials: user.known.map(toDescriptor),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
}

/** @param known the passkeys of the user; empty: whichever the user chooses */
export async function createRequestOptions(
  party: RelyingParty,
  challenge: Buffer,
  known: readonly Credential[],
): Promise<RequestOptions> {
  const { generateAuthenticationOptions } = await load();
  return generateAuthenticationOptions({
    rpID: party.id,
    challenge: new Uint8Array(challenge),
    timeout: ceremonyMs,
    userVerification: 'required',
    ...(known.length > 0 && { allowCredentials: known.map(toDescriptor) }),
  });
}

/** The challenge that a browser says was signed; undefined where it says none. */
export function readSignedChallenge(response: unknown): string | undefined {
  const text = readText(readObject(response)?.['response'], 'clientDataJSON');
  if (text === undefined) return undefined;
  try {
    return readText(JSON.parse(Buffer.from(text, 'base64url').toString()), 'challenge');
  } catch {
    return undefined;
  }
}

/** The id of the credential that has signed; undefined where none is named. */
export function readCredentialId(response: unknown): Buffer | undefined {
  const text = readText(response, 'id');
  return text === undefined ? undefined : Buffer.from(text, 'base64url');
}

/** The user that the authenticator says the passkey is of; undefined where it says none. */
export function readUserHandle(response: unknown): string | undefined {
  const text = readText(readObject(response)?.['response'], 'userHandle');
  return text === undefined ? undefined : Buffer.from(text, 'base64url').toString();
}

/** The new credential; undefined where anything about the answer is wrong: another challenge, origin or party, or no verified user. */
export async function verifyCreation(
  party: RelyingParty,
  challenge: string,
  response: unknown,
): Promise<(Credential & { readonly backedUp: boolean }) | undefined> {
  const { verifyRegistrationResponse } = await load();
  const { registrationInfo } = await settle(() =>
    verifyRegistrationResponse({
      response: response as RegistrationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
    }),
  );
  if (registrationInfo === undefined) return undefined;
  const { credential, credentialBackedUp: backedUp } = registrationInfo;
  return {
    credentialId: Buffer.from(credential.id, 'base64url'),
    publicKey: Buffer.from(credential.publicKey),
    counter: credential.counter,
    transports: readTransports(credential.transports),
    backedUp,
  };
}

/**
 * What is new of the credential after it has signed; undefined where anything about the answer is wrong. A counter that does not move on, where
 * there is one, tells of a copy, and is wrong as well.
 */
export async function verifyAssertion(
  party: RelyingParty,
  challenge: string,
  response: unknown,
  { credentialId, publicKey, counter }: Credential,
): Promise<{ readonly counter: number; readonly backedUp: boolean } | undefined> {
  const { verifyAuthenticationResponse } = await load();
  const { verified, authenticationInfo } = await settle(() =>
    verifyAuthenticationResponse({
      response: response as AuthenticationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      credential: {
        id: toText(credentialId),
        publicKey: new Uint8Array(publicKey),
        counter,
      },
    }),
  );
  if (verified !== true || authenticationInfo === undefined) return undefined;
  return { counter: authenticationInfo.newCounter, backedUp: authenticationInfo.credentialBackedUp };
}

/** The library throws for whatever is wrong with what a client sent. */
async function settle<T extends object>(work: () => Promise<T>): Promise<Partial<T>> {
  try {
    return await work();
  } catch {
    return {};
  }
}

const toText = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');

const toDescriptor = ({ credentialId, transports }: Credential) => ({
  id: toText(credentialId),
  transports: [...transports],
});

/** They are hints, kept as they are for the browser: few, and short. */
function readTransports(given: unknown): readonly string[] {
  if (!Array.isArray(given)) return [];
  return given
    .filter((each): each is string => typeof each === 'string' && /^[a-z-]{1,32}$/.test(each))
    .slice(0, 8);
}

function readObject(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
}

function readText(value: unknown, name: string): string | undefined {
  const text = readObject(value)?.[name];
  return typeof text === 'string' && text !== '' ? text : undefined;
}
