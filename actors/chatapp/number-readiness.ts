/** What the provider says of a number that is connected. */
import { type Graph, read, readList, readText } from './graph.ts';
import { isRegistered } from './numbers.ts';
import { listNumbers } from './numbers.ts';
import {
  advise,
  ask,
  check,
  demand,
  type ReadinessCheck,
  type ReadinessSubject,
} from './readiness-checks.ts';

const numberFields =
  'status,platform_type,account_mode,code_verification_status,name_status,quality_rating,webhook_configuration,health_status,whatsapp_business_manager_messaging_limit';
const numberChecks = [
  'phone_belongs',
  'phone_registered',
  'code_verified',
  'display_name',
  'quality',
  'messaging_limit',
  'health',
  'payment',
  'webhook_callback',
] as const;

export function checkNumber(graph: Graph, subject: ReadinessSubject, signal: AbortSignal) {
  const { as, wabaId, phoneNumberId, callbackUrl } = subject;
  return ask(
    numberChecks,
    () => listNumbers(graph, as, wabaId, numberFields, signal),
    numbers => {
      const number = numbers.find(each => readText(each, 'id') === phoneNumberId);
      const reason =
        'The business account does not have the number any more: connect the channel to another.';
      if (number === undefined) return numberChecks.map(id => check(id, false, reason));
      return [
        check('phone_belongs', true),
        checkRegistration(number),
        ...checkStanding(number),
        ...checkHealth(read(number, 'health_status')),
        checkCallback(read(number, 'webhook_configuration'), callbackUrl),
      ];
    },
  );
}

function checkRegistration(number: unknown): ReadinessCheck {
  const [status, platform, mode] = ['status', 'platform_type', 'account_mode'].map(field =>
    readText(number, field),
  );
  if (!isRegistered(number)) {
    const reason = `The number is ${status} on ${platform}: connect the channel again, with the PIN of the number.`;
    return check('phone_registered', false, reason);
  }
  return demand(
    'phone_registered',
    mode !== 'SANDBOX',
    'It is a test number: it writes to five numbers only.',
  );
}

const approvedNames = ['APPROVED', 'AVAILABLE_WITHOUT_REVIEW', ''];

function checkStanding(number: unknown): ReadinessCheck[] {
  const limit = 'whatsapp_business_manager_messaging_limit';
  return [
    advise(
      'code_verified',
      readText(number, 'code_verification_status') === 'VERIFIED',
      'Verify the number with the provider.',
    ),
    demand(
      'display_name',
      approvedNames.includes(readText(number, 'name_status')),
      `The display name is ${readText(number, 'name_status')}: have it approved by the provider.`,
    ),
    demand(
      'quality',
      readText(number, 'quality_rating') !== 'RED',
      'Participants block or report the number: send less, and what they asked for.',
    ),
    advise('messaging_limit', readText(number, limit) !== '', 'The provider does not tell the limit.'),
  ];
}

/** The code by which the provider's report on a number's health says that nothing can be charged. */
const paymentCode = '141006';

function checkHealth(health: unknown): ReadinessCheck[] {
  const verdict = readText(health, 'can_send_message');
  const errors = readList(health, 'entities').flatMap(entity => readList(entity, 'errors'));
  const advice = errors
    .flatMap(error => [readText(error, 'error_description'), readText(error, 'possible_solution')])
    .filter(text => text !== '')
    .join(' ');
  const hasPayment = !errors.some(error => readText(error, 'error_code') === paymentCode);
  return [
    verdict === 'BLOCKED'
      ? check('health', false, `The provider has blocked it. ${advice}`)
      : advise('health', verdict === 'AVAILABLE', `It is limited, or not known. ${advice}`),
    hasPayment
      ? check('payment', true, 'Nothing is known against it: the provider tells no more.')
      : check('payment', false, 'Add a way to pay to the business account.'),
  ];
}

function checkCallback(configuration: unknown, callbackUrl: string): ReadinessCheck {
  const [effective] = ['phone_number', 'whatsapp_business_account', 'application']
    .map(level => readText(configuration, level))
    .filter(url => url !== '');
  const reason = `They go to ${effective ?? 'nowhere'}: connect the channel again.`;
  return demand('webhook_callback', effective === callbackUrl, reason);
}
