/** All texts of the Console in English. What depends on numbers or names is a function. */
export const english = {
  appName: 'Console',
  signIn: {
    title: 'Sign in',
    email: 'E-mail',
    password: 'Password',
    submit: 'Sign in',
    forgot: 'Forgotten your password?',
    wrong: 'The e-mail address or the password is wrong.',
    unreachable: 'The server cannot be reached. Try again in a moment.',
  },
};

export type ConsoleTexts = typeof english;
