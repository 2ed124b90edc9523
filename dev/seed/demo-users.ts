/** The users that a development service is seeded with. Their passwords are published. */
export interface DemoUser {
  readonly role: string;
  readonly identifier: string;
  readonly password: string;
}

export const demoCustomer: DemoUser = {
  role: 'customer',
  identifier: 'ann@demo.localhost',
  password: 'seven quiet otters',
};

/** Two, because whoever asks for an adjustment cannot approve it. */
export const demoAdmins: readonly [DemoUser, DemoUser] = [
  { role: 'admin', identifier: 'bea@demo.localhost', password: 'nine loud herons' },
  { role: 'admin', identifier: 'carl@demo.localhost', password: 'four patient moles' },
];
