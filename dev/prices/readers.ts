/** Who has read what: tells when a change of prices has been taken in by whoever asks for them in rounds. */
import type { PriceSourceName } from '../../domain/crypto/prices.ts';

/** What one question to a source is about: a pair, or all pairs at once. */
export interface Question {
  readonly source: PriceSourceName;
  readonly about: string;
}

export interface Readers {
  /** A question was answered with the prices of this moment. */
  answered(question: Question): void;
  /**
   * Waits until each question was answered twice from now on: rounds do not overlap, so whoever asks again has taken in the first
   * answer. A source alone stands for all that it is asked. False if that takes too long.
   */
  untilTakenIn(questions: readonly (Question | Pick<Question, 'source'>)[]): Promise<boolean>;
}

const TWICE = 2;
/** Between the first and the third time lies a whole round, whatever else was asked in between. */
const AROUND_A_ROUND = 3;

/** `patienceMs` is the longest wait for readers. */
export function createReaders({ patienceMs }: { readonly patienceMs: number }): Readers {
  const waiting = new Set<(question: Question) => void>();
  return {
    answered(question) {
      for (const told of waiting) told(question);
    },
    untilTakenIn(questions) {
      const times = new Map<string, number>();
      const timesOf = (name: string): number => times.get(name) ?? 0;
      const isTakenIn = (question: Question | Pick<Question, 'source'>): boolean => {
        if ('about' in question) return timesOf(nameOf(question)) >= TWICE;
        const asked = [...times.keys()].filter((name) => name.startsWith(`${question.source} `)).map(timesOf);
        const isEachAgain = asked.length > 0 && asked.every((count) => count >= TWICE);
        return isEachAgain || asked.some((count) => count >= AROUND_A_ROUND);
      };
      return new Promise((resolve) => {
        const end = (delivered: boolean): void => {
          clearTimeout(timer);
          waiting.delete(told);
          resolve(delivered);
        };
        const told = (question: Question): void => {
          times.set(nameOf(question), timesOf(nameOf(question)) + 1);
          if (questions.every(isTakenIn)) end(true);
        };
        const timer = setTimeout(() => end(false), patienceMs);
        waiting.add(told);
      });
    },
  };
}

function nameOf({ source, about }: Question): string {
  return `${source} ${about}`;
}
