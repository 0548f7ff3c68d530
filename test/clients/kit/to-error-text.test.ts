/** What somebody reads of an error, in each language. */
import t from 'tap';
import { german } from '../../../clients/kit/texts/de.ts';
import { germanErrors } from '../../../clients/kit/texts/de-errors.ts';
import { english } from '../../../clients/kit/texts/en.ts';
import { englishErrors } from '../../../clients/kit/texts/en-errors.ts';
import { toErrorText } from '../../../clients/kit/to-error-text.ts';
import { ApiError, ConnectionError, TimeoutError } from '../../../clients/sdk/index.ts';
import { errors } from '../../../protocol/errors.ts';

const refuse = (code: string, more: { readonly requestId?: string } = { requestId: 'req_1' }): ApiError =>
  new ApiError({
    status: 409,
    code,
    reason: 'Words of the server.',
    headers: new Headers(),
    ...more,
  } as ConstructorParameters<typeof ApiError>[0]);

const languages = { english: englishErrors, german: germanErrors };

/** What only programs meet: keys, their headers, the chat provider and what there is not. */
const ofPrograms = [
  'svc/auth/invalid_api_key',
  'svc/runtime/missing_idempotency_key',
  'svc/runtime/not_implemented',
  'svc/chatapp/invalid_verify_token',
  'svc/chatapp/invalid_signature',
  'svc/chatapp/webhook_identity_mismatch',
];
/** What the sign-in pages say themselves. */
const ofSignIn = [
  'svc/auth/signup_disabled',
  'svc/auth/second_factor_required',
  'svc/auth/invalid_passkey',
  'svc/auth/sso_required',
  'svc/auth/sso_failed',
];

t.test('each language has a text for each code that a person can meet, and for no other', async t => {
  const expected = Object.keys(errors).filter(code => ![...ofPrograms, ...ofSignIn].includes(code));
  for (const [language, texts] of Object.entries(languages)) {
    t.strictSame(Object.keys(texts.errors).sort(), expected.sort(), language);
    for (const code of Object.keys(texts.errors)) {
      const text = toErrorText(refuse(code), texts);
      t.not(text.trim(), '', `${language}: ${code}`);
      t.notMatch(text, /undefined|svc\//, `${language}: ${code}`);
    }
  }
  for (const code of Object.keys(germanErrors.errors)) {
    const [german, english] = [germanErrors, englishErrors].map(texts => toErrorText(refuse(code), texts));
    t.not(german, english, `${code} is said in German`);
  }
});

t.test('what is not known is told in the words of the server, with the number of the request', async t => {
  for (const texts of Object.values(languages)) {
    t.equal(toErrorText(refuse('http/502'), texts), 'Words of the server. (req_1)');
    t.equal(toErrorText(refuse('http/502', {}), texts), 'Words of the server.');
    t.match(toErrorText(refuse('svc/runtime/internal_error'), texts), 'req_1');
    t.match(toErrorText(refuse('svc/runtime/conflict'), texts), 'Words of the server.');
    t.equal(toErrorText(new ConnectionError('no way'), texts), texts.unreachable);
    t.equal(toErrorText(new TimeoutError('too late'), texts), texts.unreachable);
    t.equal(toErrorText(new TypeError('of ours'), texts), 'of ours');
  }
});

t.test(
  'where the texts of the codes cannot be loaded, those of the page say what there is to say',
  async t => {
    for (const { account } of [english, german]) {
      const plain = account.problems;
      t.equal(toErrorText(refuse('svc/runtime/conflict'), plain), 'Words of the server. (req_1)');
      t.equal(toErrorText(refuse('svc/runtime/conflict', {}), plain), 'Words of the server.');
      t.equal(toErrorText(new ConnectionError('no way'), plain), plain.unreachable);
    }
  },
);
