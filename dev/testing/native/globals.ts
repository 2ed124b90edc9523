/** What tests get when they import `@jest/globals`: the functions that Jest has made for the file that is running. */
const given = (name: string): unknown => Reflect.get(globalThis, name);

export const test = given('test');
export const describe = given('describe');
export const beforeAll = given('beforeAll');
export const beforeEach = given('beforeEach');
export const afterEach = given('afterEach');
export const afterAll = given('afterAll');
export const expect = given('expect');
