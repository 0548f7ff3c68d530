import t from 'tap';
import { InstanceAdmins } from '../../../gateway/auth/instance-admins.ts';

t.test(
  'who operates the service has one of the addresses, in any case of its letters, and has proven it',
  async t => {
    const admins = new InstanceAdmins(['Ops@Example.com', 'second@example.com']);
    t.ok(admins.has({ email: 'ops@example.com', emailVerified: true }));
    t.ok(admins.has({ email: 'SECOND@example.com', emailVerified: true }));
    t.notOk(admins.has({ email: 'ops@example.com', emailVerified: false }));
    t.notOk(admins.has({ email: 'ops@example.com.evil.test', emailVerified: true }));
    t.notOk(new InstanceAdmins([]).has({ email: '', emailVerified: true }));
  },
);
