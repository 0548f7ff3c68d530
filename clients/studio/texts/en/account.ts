/** The account of who is signed in. */
export const account = {
  title: 'Your account',
  name: 'Name',
  email: 'E-mail',
  confirmed: 'Address',
  isConfirmed: 'Confirmed',
  isNotConfirmed: 'Not confirmed yet',
};
