/** What an operation takes: the token of a step-up, or a fresh proof of its session (changes of second factors). */
export type StepUpKind = 'token' | 'proof';
