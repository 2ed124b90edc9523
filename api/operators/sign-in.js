/**
 * The browser's side of /operators/sign-in: logs in as any client does, and exchanges the session for the cookie with which the Temporal
 * Web UI decrypts. Tokens stay in this page's memory; only what tells the device apart is kept.
 */
const DEVICE = 'teller-device';
const login = document.getElementById('login');
const factor = document.getElementById('factor');
const done = document.getElementById('done');
const problem = document.getElementById('problem');
const stop = document.getElementById('stop');

const WHERE = {
  totp: 'Enter the code that your authenticator shows.',
  sms_otp: 'Enter the code from the text message.',
  email_otp: 'Enter the code from the email.',
};
const CURES = {
  forbidden: 'You do not hold the permission processes:read. An administrator who may grant it can.',
  second_factor_required: 'Set up a second factor first; processes are read with one only.',
};

/** The challenge that waits for its code. */
let challenge;

async function call(method, path, { body, token } = {}) {
  const answer = await fetch(new URL(`../v1/${path}`, location.href), {
    method,
    headers: {
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await answer.text();
  const read = text === '' ? {} : JSON.parse(text);
  if (!answer.ok) throw Object.assign(new Error(CURES[read.code] ?? read.detail), { status: answer.status });
  return read;
}

function show(part) {
  for (const one of [login, factor, done]) one.hidden = one !== part;
  problem.textContent = '';
  part.querySelector('input, a').focus();
}

async function loggedIn(tokens) {
  if (tokens.device_token !== undefined) localStorage.setItem(DEVICE, tokens.device_token);
  try {
    await call('POST', 'admin/codec/session', { token: tokens.access_token });
  } catch (error) {
    // nobody is left logged in who may not read
    const body = { refresh_token: tokens.refresh_token };
    await call('POST', 'auth/logout', { token: tokens.access_token, body }).catch(() => undefined);
    throw error;
  }
  show(done);
}

function onSubmit(form, act) {
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const given = Object.fromEntries(new FormData(form));
    const button = form.querySelector('button');
    button.disabled = true;
    problem.textContent = '';
    try {
      await act(given);
      form.reset();
    } catch (error) {
      problem.textContent =
        error.status === undefined ? 'The service does not answer. Try again.' : error.message;
    } finally {
      button.disabled = false;
    }
  });
}

onSubmit(login, async ({ identifier, password }) => {
  const device = localStorage.getItem(DEVICE);
  const body = {
    identifier,
    password,
    device_label: 'Web UI of processes',
    ...(device === null ? {} : { device_token: device }),
  };
  const answer = await call('POST', 'auth/login', { body });
  if (!answer.mfa_required) return loggedIn(answer);
  challenge = answer.challenge_id;
  factor.querySelector('label').firstChild.textContent = WHERE[answer.method];
  show(factor);
});

onSubmit(factor, async ({ code }) => {
  await loggedIn(await call('POST', 'auth/login/mfa', { body: { challenge_id: challenge, code } }));
});

stop.addEventListener('click', async () => {
  try {
    await call('DELETE', 'admin/codec/session');
  } catch (error) {
    // whoever is not signed in any more is signed out
    if (error.status !== 401) {
      problem.textContent = 'You are still signed in: the service did not answer as expected. Try again.';
      return;
    }
  }
  show(login);
  problem.textContent = 'You are signed out.';
});
