/**
 * The script of the pages that mailed links lead to (mailed-link-pages.ts); it runs in browsers. The token is in the fragment of the address,
 * which browsers send to no server. It is sent when the reader presses the button, and not before: programs that check mail open every
 * link in it, and would use the link up.
 */
const form = document.querySelector('form');
const problem = document.getElementById('problem');
const done = document.getElementById('done');

const usedLink =
  'This link is not valid. It may have been used already, or a newer mail may have replaced it.';
const texts = {
  'svc/auth/invalid_token': usedLink,
  'svc/runtime/not_found': usedLink,
  'svc/auth/expired_token': 'This link has expired. Ask for a new mail.',
  'svc/auth/login_required': 'That is not the password of your account.',
  'svc/auth/email_domain_not_allowed':
    'This server takes no accounts with addresses like yours. Ask whoever invited you.',
  'svc/rate_limit/exceeded': 'These were too many tries. Wait a minute, then press the button again.',
  'svc/runtime/unavailable': 'The server is busy. Press the button again in a moment.',
};
const incomplete = 'The address of this page is not complete. Open the link as it is in the mail.';
const unreachable = 'The server cannot be reached. Check your connection, then press the button again.';

function readToken() {
  return new URLSearchParams(location.hash.slice(1)).get('token') ?? '';
}

/** The field of that name, if the page has it and shows it. */
function findField(name) {
  const field = form.elements.namedItem(name);
  return field === null || field.closest('[hidden]') !== null ? undefined : field;
}

function showProblem(text, field) {
  for (const input of form.querySelectorAll('input')) input.removeAttribute('aria-invalid');
  problem.textContent = text;
  field?.setAttribute('aria-invalid', 'true');
  (field ?? problem).focus();
}

/** What the reader has to correct first, and in which field. */
function findMistake() {
  const current = findField('current');
  const password = findField('password');
  const repeated = findField('repeated');
  if (readToken() === '') return [incomplete, undefined];
  if (current?.value === '') return ['Enter the password of your account.', current];
  if (password && [...password.value].length < 8)
    return ['The password needs 8 characters or more.', password];
  if (repeated && repeated.value !== password.value) return ['The two passwords are not the same.', repeated];
  return undefined;
}

/** An invitation does not say whether its address has an account: the answer to the first try does. */
function askForPassword({ error }) {
  if (form.dataset.operation !== 'accept-invitation' || findField('current') || findField('password'))
    return false;
  if (error === 'svc/auth/login_required') {
    document.getElementById('known').hidden = false;
    showProblem('Your address has an account here. Enter its password to join.', findField('current'));
    return true;
  }
  if (error === 'svc/validation/invalid_request') {
    document.getElementById('unknown').hidden = false;
    showProblem('Your address has no account here yet. Choose a password for it.', findField('password'));
    return true;
  }
  return false;
}

async function send() {
  const password = (findField('current') ?? findField('password'))?.value;
  let answer;
  try {
    answer = await fetch(`../v1/studio/auth/${form.dataset.operation}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: readToken(), password }),
    });
  } catch {
    return showProblem(unreachable);
  }
  if (answer.ok) return finish();
  const refusal = await answer.json().catch(() => ({}));
  if (askForPassword(refusal)) return;
  const field = findField('current') ?? findField('password');
  const unknown = `Something went wrong. Try again, and if it stays so, report this number: ${refusal.requestId}`;
  showProblem(
    texts[refusal.error] ?? unknown,
    refusal.error === 'svc/auth/login_required' ? field : undefined,
  );
}

function finish() {
  // The token is used up, and need not stay in the history of the browser.
  history.replaceState(null, '', location.pathname);
  form.hidden = true;
  done.hidden = false;
  document.title = `Done - ${document.title}`;
  done.focus();
}

form.addEventListener('submit', event => {
  event.preventDefault();
  if (form.getAttribute('aria-busy') === 'true') return;
  const mistake = findMistake();
  if (mistake !== undefined) return showProblem(...mistake);
  problem.textContent = '';
  form.setAttribute('aria-busy', 'true');
  void send().finally(() => form.removeAttribute('aria-busy'));
});

if (readToken() === '') problem.textContent = incomplete;
