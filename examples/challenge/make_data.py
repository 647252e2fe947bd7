"""Makes clinic.csv, a public table: 300 persons of one to three records, from a fixed seed."""

import csv
import random

rng = random.Random(2020)
with open("clinic.csv", "w", encoding="utf-8", newline="") as file:
    writer = csv.writer(file)
    writer.writerow(["person_id", "sex", "age"])
    for person in range(300):
        sex = rng.choice(["female", "male"])
        age = rng.choices(["young", "middle", "old"], [3, 2, 1 if sex == "male" else 2])[0]
        writer.writerows([person, sex, age] for _ in range(rng.choice([1, 2, 3])))
