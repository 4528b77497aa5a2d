lab = sw.ExerciseSet(
    [
        sw.Exercise.write_spec((8, 16), mesh, local_shape=(4, 4), copies=1),
        sw.Exercise.read_placement(place(jnp.ones((8, 16)), "x", "y"), ["local shape", "copies"]),
        sw.Exercise.predict_type(lambda a: a.T * 2, place(jnp.ones((8, 16)), "x", "y")),
    ],
    name="Lab",
    progress=False,
)
lab
